#!/usr/bin/env bash
# image-check.sh: runs the steps of the Dockerfile without Docker, in a new folder, and starts the result as an
# unprivileged user who cannot write to it. The steps are read from the Dockerfile, so the two cannot differ.
#
# It prints the size of what the image adds to its base, and one line for each check. Needs Node, npm, curl and root (to
# become another user). IMAGE_CHECK_FOLDER: where to work; the default is a new folder, which is removed at the end.
set -euo pipefail
source=$(cd "$(dirname "$0")/.." && pwd)
folder=${IMAGE_CHECK_FOLDER:-$(mktemp -d)}
user=${IMAGE_CHECK_USER:-nobody}
service=
finish() {
  [ -z "$service" ] || kill "$service" 2>/dev/null || true
  [ -n "${IMAGE_CHECK_FOLDER:-}" ] || rm -rf "$folder"
}
trap finish EXIT
fail() {
  echo "wrong: $1"
  exit 1
}

# What .dockerignore lets through; "COPY . ." copies it.
context() {
  mkdir -p "$1"
  (cd "$source" && tar -cf - $(sed -n 's/^!//p' .dockerignore)) | tar -C "$1" -xf -
}

# The build stage: its folders become folders below $folder/build.
build=$folder/build
mkdir -p "$build"
place=$build
export TARGETARCH=${TARGETARCH:-amd64}
case $(uname -m) in aarch64 | arm64) TARGETARCH=arm64 ;; esac
while IFS= read -r line; do
  words=${line#* }
  case $line in
    WORKDIR*) place=$build$words && mkdir -p "$place" ;;
    'COPY . .') context "$place" ;;
    RUN*)
      here=$(sed -E "s#(^|[ |])(/(source|app|data))#\1$build\2#g" <<<"$words")
      echo "RUN $words"
      (cd "$place" && bash -euo pipefail -c "$here") >"$folder/log" 2>&1 || { cat "$folder/log"; fail "RUN $words"; }
      ;;
  esac
done < <(sed -n '/^FROM .* AS build$/,/^FROM /p' "$source/Dockerfile")
program=$build/app/bin/shortlink
[ -x "$program" ] || fail "there is no program at $program"
# The base image has its Node at another place than this machine.
sed -i "1s|.*|#!$(command -v node)|" "$program"
echo "size: $(du -sm "$build/app" | cut -f1) MB are added to the base image"
for tool in esbuild typescript vitest; do
  [ ! -e "$build/app/node_modules/$tool" ] || fail "$tool is for development and is in the image"
done
[ -z "$(find "$build/app/node_modules" -maxdepth 2 -name '*musl*' -print -quit)" ] || fail 'packages for another C library are in the image'

# The final stage: another user, a tree that it cannot write, a data folder that it can.
data=$folder/data
mkdir -p "$data"
chown "$user" "$data"
chmod -R a+rX,go-w "$build/app"
chmod a+x "$folder"
port=$(node -e 'const s = require("net").createServer().listen(0, "127.0.0.1", () => { console.log(s.address().port); s.close() })')
settings=(NODE_ENV=production "PATH=$PATH" HOME=/nonexistent TMPDIR="$data" SHORTLINK_DATA_DIR="$data" SHORTLINK_HOST=127.0.0.1 SHORTLINK_PORT="$port")
as_user=(setpriv --reuid="$user" --regid="$(id -g "$user")" --clear-groups env -i "${settings[@]}")
cd "$data"
if "${as_user[@]}" sh -c "echo >>'$program'" 2>/dev/null; then fail "$user can write to the program"; fi
"${as_user[@]}" "$program" serve >"$folder/service.log" 2>&1 &
service=$!
for _ in $(seq 600); do
  kill -0 "$service" 2>/dev/null || { cat "$folder/service.log"; fail 'the service ended'; }
  curl -fsS -o /dev/null "http://127.0.0.1:$port/healthz" 2>/dev/null && break
  sleep 0.2
done
token=$(sed -n 's/^Access token: *//p' "$data/first-credentials.txt")
answer=$(curl -sS --fail-with-body "http://127.0.0.1:$port/v4/shorten" -H "Authorization: Bearer $token" \
  -H 'Content-Type: application/json' -d '{"long_url":"https://example.com/hello"}') || fail "no link was created: $answer"
link=http://127.0.0.1:$port/$(sed 's/.*"id":"[^/"]*\/\([^"]*\)".*/\1/' <<<"$answer")
[ "$(curl -sS -o /dev/null -w '%{redirect_url}' "$link")" = https://example.com/hello ] || fail "$link does not lead on"
echo 'ok: a link was created and leads on'
curl -sS "http://127.0.0.1:$port/" | grep -q /login || fail '/ does not lead to the sign-in'
echo 'ok: / leads to the sign-in'
[ -z "$(find "$build/app" -newer "$data/first-credentials.txt" -print -quit)" ] || fail 'the program wrote to its own folder'
kill -TERM "$service"
status=0
wait "$service" || status=$?
service=
[ $status = 0 ] || { cat "$folder/service.log"; fail "the service ended with $status"; }
echo 'ok: it stops on SIGTERM'
