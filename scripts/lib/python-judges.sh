# Sourced by the scripts that run the tests: Python's judges in a folder of their own; GYMMIGRATE_PYTHON is theirs, and unset where
# PyPI cannot be reached.
venv=.venv
if ! cmp -s Tests/Judges/requirements.txt "$venv/installed.txt"; then
  echo "Installing the Python judges into $venv"
  python3 -m venv "$venv"
  if "$venv/bin/python" -m pip install --quiet --disable-pip-version-check -r Tests/Judges/requirements.txt; then
    cp Tests/Judges/requirements.txt "$venv/installed.txt"
  else
    echo "SKIPPED: PyPI cannot be reached, so openpyxl and Google's client do not judge this run." >&2
  fi
fi
[[ ! -f $venv/installed.txt ]] || export GYMMIGRATE_PYTHON=$PWD/$venv/bin/python
