#!/bin/sh
set -eu
target="${TARGET:-/var/tmp}"
for file in "${@}"; do
  name=$(basename "$file" .txt)
  echo "%{http_code} $${name} ${name%.*} ${#name} \n \t \" 'backup'" | sed 's/\\/\//g'
done
echo "{{.State}}" # for docker inspect
