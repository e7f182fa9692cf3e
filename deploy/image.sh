#!/usr/bin/env bash
# image.sh [ARCHIVE]: builds the image of the Dockerfile with buildah, starts it as its own user, and checks it. With ARCHIVE
# the image is also written there, for "docker load" or "podman load".
#
# Needs root, buildah, Node, npm and curl. If the base images cannot be pulled, stand-ins with the same Node are made with
# debootstrap: good for checking the Dockerfile, not for publishing. Everything else is in one temporary folder.
set -euo pipefail
source=$(cd "$(dirname "$0")/.." && pwd)
archive=${1:-}
case $archive in '' | /*) ;; *) archive=$PWD/$archive ;; esac
image=localhost/shortlink
folder=$(mktemp -d)
container=
service=
finish() {
  [ -z "$service" ] || kill -KILL "$service" 2>/dev/null || true
  [ -z "$container" ] || buildah rm "$container" >/dev/null 2>&1 || true
  rm -rf "$folder"
}
trap finish EXIT
fail() {
  echo "wrong: $1"
  exit 1
}
quietly() {
  "$@" >"$folder/log" 2>&1 || { cat "$folder/log"; fail "$*"; }
}

# From an empty folder: a base system with Node 24, under the name of the base image $1, Node at $2.
stand_in() {
  local root=$folder/root
  if [ ! -d "$root" ]; then
    command -v debootstrap >/dev/null || fail 'the base images cannot be pulled, and debootstrap is not installed'
    echo 'The base images cannot be pulled: making stand-ins with debootstrap'
    quietly debootstrap --variant=minbase --include=ca-certificates bookworm "$root"
    local arch=x64
    case $(uname -m) in aarch64 | arm64) arch=arm64 ;; esac
    quietly npm install --global --prefix "$folder/node" --ignore-scripts --no-audit --no-fund "node-linux-$arch@24" npm@11
    mkdir -p "$root/usr/local/lib" "$root/nodejs/bin"
    cp -a "$folder/node/lib/node_modules" "$root/usr/local/lib/node_modules"
    cp "$folder/node/lib/node_modules/node-linux-$arch/bin/node" "$root/nodejs/bin/node"
    ln -s /nodejs/bin/node "$root/usr/local/bin/node"
    ln -s ../lib/node_modules/npm/bin/npm-cli.js "$root/usr/local/bin/npm"
  fi
  local base
  base=$(buildah from scratch)
  quietly buildah copy "$base" "$root" /
  quietly buildah commit --rm "$base" "$1"
}

bases=$(sed -nE 's/^FROM (--platform=[^ ]+ )?([^ ]+).*/\2/p' "$source/Dockerfile")
for base in $bases; do
  buildah inspect --type image "$base" >/dev/null 2>&1 || timeout 20 buildah pull --quiet "$base" >/dev/null 2>&1 || stand_in "$base"
done

# The build reaches the registry as this machine does: its address and its certificates, which do not become part of the image.
settings=$folder/npmrc
echo "registry=$(npm config get registry)" >"$settings"
mounts=(--volume "$settings:/root/.npmrc:ro")
if [ -n "${NODE_EXTRA_CA_CERTS:-}" ]; then
  echo 'cafile=/run/certificates.pem' >>"$settings"
  mounts+=(--volume "$NODE_EXTRA_CA_CERTS:/run/certificates.pem:ro")
fi
echo "Building $image"
quietly buildah build --isolation chroot --network host --pull-never "${mounts[@]}" --tag "$image" --file "$source/Dockerfile" "$source"

container=$(buildah from --pull-never "$image")
root=$(buildah mount "$container")
echo "size: $(du -sm "$root/app" | cut -f1) MB are added to the base image"
for tool in esbuild typescript vitest; do
  [ ! -e "$root/app/node_modules/$tool" ] || fail "$tool is for development and is in the image"
done
[ -z "$(find "$root/app/node_modules" -maxdepth 2 -name '*musl*' -print -quit)" ] || fail 'packages for another C library are in the image'
[ "$(stat -c '%a %u' "$root/data")" = '700 65532' ] || fail "/data is $(stat -c '%a of user %u' "$root/data"), not 700 of its user"

# As its own user, with its data in a volume. Not at /data: there buildah mounts a folder of its own.
data=$folder/data
mkdir -m 700 "$data"
chown 65532:65532 "$data"
chmod a+x "$folder"
port=$(node -e 'const s = require("net").createServer().listen(0, "127.0.0.1", () => { console.log(s.address().port); s.close() })')
serve() {
  buildah run --isolation chroot --network host --user 65532:65532 --volume "$data:/volume" "$container" -- \
    /nodejs/bin/node /app/bin/shortlink serve --data-dir /volume --port "$port" >>"$folder/service.log" 2>&1 &
  waiting=$!
  for _ in $(seq 600); do
    kill -0 "$waiting" 2>/dev/null || { cat "$folder/service.log"; fail 'the service ended'; }
    curl -fsS -o /dev/null "http://127.0.0.1:$port/healthz" 2>/dev/null && break
    sleep 0.2
  done
  # The innermost of the processes with this command is the service itself.
  service=$(pgrep -n -f "/app/bin/shortlink serve --data-dir /volume --port $port")
}
stop() {
  kill -TERM "$service"
  service=
  local status=0
  wait "$waiting" || status=$?
  [ $status = 0 ] || { cat "$folder/service.log"; fail "the service ended with $status"; }
}
serve
token=$(sed -n 's/^Access token: *//p' "$data/first-credentials.txt")
answer=$(curl -sS --fail-with-body "http://127.0.0.1:$port/v4/shorten" -H "Authorization: Bearer $token" \
  -H 'Content-Type: application/json' -d '{"long_url":"https://example.com/hello"}') || fail "no link was created: $answer"
link=http://127.0.0.1:$port/$(sed 's/.*"id":"[^/"]*\/\([^"]*\)".*/\1/' <<<"$answer")
leads_on() {
  [ "$(curl -sS -o /dev/null -w '%{redirect_url}' "$link")" = https://example.com/hello ] || fail "$link does not lead on"
}
leads_on
echo 'ok: a link was created and leads on'
curl -sS "http://127.0.0.1:$port/" | grep -q /login || fail '/ does not lead to the sign-in'
echo 'ok: / leads to the sign-in'
stop
echo 'ok: it stops on SIGTERM'
serve
leads_on
stop
echo 'ok: started again, it still knows the link'
written=$(find "$root" -xdev -path "$root/data" -prune -o -newer "$settings" -newer "$data/first-credentials.txt" -type f -print -quit)
[ -z "$written" ] || fail "the service wrote to ${written#"$root"}: it needs more than /data"
echo 'ok: it writes to its data directory alone'

if [ -n "$archive" ]; then
  rm -f "$archive"
  quietly buildah push "$image" "docker-archive:$archive:shortlink:$(node -p "require('$source/package.json').version")"
  echo "written to $archive ($(du -m "$archive" | cut -f1) MB)"
fi
