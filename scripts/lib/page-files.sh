# Sourced by the benchmarks: a server that only sends files, so that what is measured is the client.

# Starts nginx on a free port over the pages that Benchmarks/make_pages.py wrote into FOLDER/pages. Sets `port` and `url`
# (of the collection).
serve_pages() { # FOLDER COLLECTION DOCUMENTS
  local work=$1 collection=$2 documents=$3
  local base=/v1/projects/bench-project/databases/bench/documents
  port=$(python3 -c 'import socket; s = socket.socket(); s.bind(("127.0.0.1", 0)); print(s.getsockname()[1])')
  cat >"$work/nginx.conf" <<CONF
daemon off;
pid $work/nginx.pid;
worker_processes 1;
$([[ $(id -u) -eq 0 ]] && echo "user root;")
events { worker_connections 256; }
http {
  access_log off;
  keepalive_requests 1000000;
  client_body_temp_path $work/body;
  proxy_temp_path $work/proxy;
  fastcgi_temp_path $work/fastcgi;
  uwsgi_temp_path $work/uwsgi;
  scgi_temp_path $work/scgi;
  map \$arg_pageToken \$page { "" first; default \$arg_pageToken; }
  server {
    listen 127.0.0.1:$port;
    default_type application/json;
    location = $base/$collection { root $work/pages; rewrite ^ /\$page.json break; gzip_static always; sendfile on; }
    # A file answers no POST, but what replaces that error does.
    location = $base:runQuery { error_page 405 =200 /query.json; return 405; }
    location = /query.json { internal; root $work/pages; gzip_static always; }
    location = $base:runAggregationQuery {
      return 200 '[{"result":{"aggregateFields":{"n":{"integerValue":"$documents"}}}}]';
    }
  }
}
CONF
  nginx -p "$work" -e "$work/error.log" -c "$work/nginx.conf" &
  servers+=($!)
  url=http://127.0.0.1:$port$base/$collection
  curl --silent --fail --retry 20 --retry-connrefused --retry-delay 1 --compressed -o "$work/first.json" "$url"
}
