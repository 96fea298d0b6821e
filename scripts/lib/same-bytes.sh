# Sourced by what packs files: the same files are the same bytes, whoever packs them, when and where.
SOURCE_DATE_EPOCH=${SOURCE_DATE_EPOCH:-$(git log -1 --format=%ct 2>/dev/null || stat -c %Y CHANGELOG.md)}
export SOURCE_DATE_EPOCH LC_ALL=C.UTF-8
umask 022

same_tar() { # OPTIONS...: tar, with names in order, of root, and of one time
  tar --sort=name --format=gnu --mtime="@$SOURCE_DATE_EPOCH" --owner=root:0 --group=root:0 --mode=u+rwX,go=rX "$@"
}

size() { # FILE
  python3 -c 'import os, sys; print(f"{os.path.getsize(sys.argv[1]) / 1e6:.1f} MB")' "$1"
}
