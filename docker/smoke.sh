#!/usr/bin/env bash
# Copyright The Forebay Authors
# SPDX-License-Identifier: Apache-2.0
#
# Builds the image from the jar of `mvn package` and tests it without capabilities and with a read-only root file
# system: it accepts a statement, ends on SIGTERM, and still has the result after a restart. Needs podman or docker, and curl.
#
#   docker/smoke.sh          on the base image of the Dockerfile
#   docker/smoke.sh local    on a base image built from the JDK 25 of this machine (JAVA_HOME), if no registry is reachable
#   docker/smoke.sh local build    only builds it, for ContainerIT
#   docker/smoke.sh local readme   only runs the commands of README.md, with that image, a free port and a volume of its own
#   docker/smoke.sh local servers  only builds localhost/postgres and localhost/apache/kafka, for ServiceConnectionIT
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."

say() { echo "smoke: $*"; }
fail() { say "FAILED: $*" >&2; exit 1; }

engine=()
if command -v podman >/dev/null; then
  engine=(podman)
  # runc also works where the default runtime fails because of cgroups or limits.
  if command -v runc >/dev/null; then engine+=(--runtime runc); fi
elif command -v docker >/dev/null && docker info >/dev/null 2>&1; then
  engine=(docker)
else
  say "skipped: there is neither podman nor a docker that runs; the image is not tried"
  exit 0
fi

work=$(mktemp -d)
name=forebay-smoke-$$
volume=$name-data
clean() {
  local status=$?
  if [ "$status" -ne 0 ]; then "${engine[@]}" logs "$name" >&2 2>/dev/null || true; fi
  "${engine[@]}" rm -f "$name" >/dev/null 2>&1 || true
  "${engine[@]}" volume rm -f "$volume" >/dev/null 2>&1 || true
  rm -rf "$work"
}
trap clean EXIT

# An image of a folder, to which this adds the libraries that the programs in it load; then the lines of its Dockerfile.
image() {
  local name=$1 root=$2
  find "$root" -type f \( -name '*.so' -o -path '*/bin/*' \) -exec ldd {} + 2>/dev/null \
    | grep -o '/[^ ]*\.so[^ ]*' | grep -v "^$work" | sort -u | while read -r library; do
      if [ -f "$library" ]; then cp -L --parents "$library" "$root"; fi
    done
  printf '%s\n' "${@:3}" >"$root.Dockerfile"
  "${engine[@]}" build -q -t "$name" -f "$root.Dockerfile" "$root" >/dev/null
}

# Of the JDK of this machine.
base_image() {
  local root=$work/java modules
  modules=java.se,jdk.charsets,jdk.crypto.ec,jdk.httpserver,jdk.jfr,jdk.localedata,jdk.management,jdk.management.agent
  modules+=,jdk.compiler,jdk.jartool,jdk.naming.dns,jdk.net,jdk.security.auth,jdk.security.jgss,jdk.unsupported,jdk.zipfs
  mkdir -p "$root/opt"
  mkdir -m 1777 "$root/tmp"
  "$JAVA_HOME/bin/jlink" --add-modules "$modules" --strip-debug --no-header-files --no-man-pages --output "$root/opt/java"
  image forebay-smoke-java "$root" 'FROM scratch' 'COPY . /' 'ENV PATH=/opt/java/bin LANG=C.UTF-8'
}

# PostgreSQL and Kafka of the artifacts that the build has loaded, as far as Testcontainers uses the public images.
server_images() {
  local postgres=$work/postgres kafka=$work/kafka class_path repository version
  class_path=$(<proof/kafka-broker/target/broker.classpath)
  repository=${class_path%%/org/apache/kafka/*}
  mkdir -p "$postgres"/{etc,usr/local} "$kafka"/{etc/kafka/docker,opt/kafka}
  cp -L --parents /bin/{bash,sh,sleep} "$postgres"
  cp -L --parents /bin/{bash,sh,sleep} "$kafka"

  version=$(sed -n 's/.*<embedded-postgres-binaries.version>\(.*\)<.*/\1/p' pom.xml)
  (cd "$work" && "$JAVA_HOME/bin/jar" -xf \
    "${repository##*:}"/io/zonky/test/postgres/embedded-postgres-binaries-linux-*/"$version"/*.jar)
  tar -xJf "$work"/postgres-linux-*.txz -C "$postgres/usr/local"
  echo 'postgres:x:70:70::/:/bin/sh' >"$postgres/etc/passwd"
  cat >"$postgres/usr/local/entrypoint" <<'SCRIPT'
#!/bin/bash
set -e
echo "$POSTGRES_PASSWORD" >/tmp/password
initdb -U "$POSTGRES_USER" --pwfile=/tmp/password --no-locale -E UTF8
echo "host all all all ${POSTGRES_HOST_AUTH_METHOD:-scram-sha-256}" >>"$PGDATA/pg_hba.conf"
[ "$POSTGRES_DB" = postgres ] || echo "create database \"$POSTGRES_DB\"" | postgres --single postgres
# The public image starts twice, too, and Testcontainers waits for the second start.
pg_ctl -w start
pg_ctl -w stop
exec "$@" -c listen_addresses='*'
SCRIPT
  chmod +x "$postgres/usr/local/entrypoint"
  image "localhost/postgres:${version%.*}" "$postgres" "FROM $base" 'COPY . /' 'ENV PATH=/usr/local/bin:/bin PGDATA=/tmp/data' \
    'USER 70:70' 'ENTRYPOINT ["/usr/local/entrypoint"]' 'CMD ["postgres"]'

  tr : '\n' <<<"$class_path" | xargs cp -t "$kafka/opt/kafka"
  echo 'hosts: files dns' >"$kafka/etc/nsswitch.conf"
  cat >"$kafka/etc/kafka/docker/run" <<'SCRIPT'
#!/bin/bash
set -e
{
  echo "log.dirs=/tmp/data"
  echo "controller.quorum.voters=$KAFKA_NODE_ID@localhost:9094"
  for variable in "${!KAFKA_@}"; do
    name=${variable#KAFKA_}
    name=${name,,}
    echo "${name//_/.}=${!variable}"
  done
} >/tmp/server.properties
java kafka.tools.StorageTool format -t "$CLUSTER_ID" -c /tmp/server.properties
exec java kafka.Kafka /tmp/server.properties
SCRIPT
  chmod +x "$kafka/etc/kafka/docker/run"
  version=$(basename "$kafka"/opt/kafka/kafka_*.jar .jar)
  image "localhost/apache/kafka:${version##*-}" "$kafka" "FROM $base" 'COPY . /' 'ENV PATH=/opt/java/bin:/bin CLASSPATH=/opt/kafka/*' \
    'ENV JDK_JAVA_OPTIONS="-Xmx256m -XX:+UseSerialGC -XX:TieredStopAtLevel=1 -Dlog4j2.level=INFO"'
}

arguments=(--build-arg JAR_FROM=built)
if [ "${1:-}" = local ]; then
  [ -x "${JAVA_HOME:-}/bin/jlink" ] || fail "JAVA_HOME names no JDK 25"
  say "makes a base image of $JAVA_HOME"
  base_image
  base=forebay-smoke-java
  if [ "${engine[0]}" = podman ]; then base=localhost/$base; fi
  arguments+=(--build-arg JDK_IMAGE="$base" --build-arg BASE_IMAGE="$base")
fi
if [ "${2:-}" = servers ]; then
  say "makes images of PostgreSQL and Kafka"
  server_images
  exit
fi
[ -f platform-app/target/forebay.jar ] || fail "there is no platform-app/target/forebay.jar; run mvn package first"
if [ "${engine[0]}" = podman ]; then
  arguments+=(--format docker) # with the health check
fi
limits=(--ulimit nofile=4096:4096 --ulimit nproc=4096:4096)
# Without a network, which it does not need: so the addresses of this machine stay as they are.
build() {
  say "builds the image"
  "${engine[@]}" build "${arguments[@]}" --network=none "${limits[@]}" "$@"
}

# What the README calls docker.
docker() {
  case $1 in
    build) build "${@:2}" ;;
    run) "${engine[@]}" run "${limits[@]}" "${@:2}" ;;
    cp) for _ in $(seq 60); do "${engine[@]}" "$@" 2>/dev/null && return; sleep 1; done; fail "there is no file to copy" ;;
    *) fail "unexpected: docker $*" ;;
  esac
}
if [ "${2:-}" = readme ]; then
  mapfile -t commands < <(sed -n '/^In a container/,/^Or from source/s/^    //p' README.md)
  commands=("${commands[@]/127.0.0.1:8080:8080/127.0.0.1::8080}")
  commands=("${commands[@]/--name forebay/--name $name}")
  commands=("${commands[@]/-v forebay:/-v $volume:}")
  commands=("${commands[@]/cp forebay:/cp $name:}")
  eval "${commands[0]}"
  cd "$work"
  eval "${commands[1]}"
  address=$("${engine[@]}" port "$name" 8080 | head -1)
  curl -fsS --retry 60 --retry-delay 1 --retry-all-errors "http://$address/actuator/health/readiness"
  curl -fsS -H "Authorization: Bearer $TOKEN" "http://$address/api/v1/statements" | grep notes.add \
    || fail "the token of the README does not work"
  exit
fi
build -f docker/Dockerfile -t forebay-smoke .
if [ "${2:-}" = build ]; then exit; fi

start() {
  "${engine[@]}" run -d --name "$name" --read-only --tmpfs /tmp --cap-drop ALL --security-opt no-new-privileges \
    --memory 1g "${limits[@]}" \
    -v "$volume:/var/lib/forebay" -p 127.0.0.1::8080 forebay-smoke >/dev/null
  address=$("${engine[@]}" port "$name" 8080 | head -1)
  for _ in $(seq 120); do
    if curl -fsS -o "$work/answer" "http://$address/actuator/health/readiness" 2>/dev/null; then
      say "is ready: $(cat "$work/answer")"
      # The JVM logs only that it does not use the cache.
      if "${engine[@]}" logs "$name" 2>&1 | grep 'AOT cache'; then fail "it does not use the AOT cache of the image"; fi
      return
    fi
    [ "$("${engine[@]}" inspect -f '{{.State.Running}}' "$name")" = true ] || fail "it ended by itself"
    sleep 1
  done
  fail "it is not ready after two minutes"
}

# As an orchestrator does: the container is removed, the volume stays.
stop() {
  local begin=$SECONDS status
  "${engine[@]}" stop -t 60 "$name" >/dev/null
  status=$("${engine[@]}" inspect -f '{{.State.ExitCode}}' "$name")
  say "ended with status $status after $((SECONDS - begin)) s"
  [ "$status" -eq 143 ] || fail "SIGTERM ends a JVM with status 143"
  [ $((SECONDS - begin)) -lt 50 ] || fail "it had to be killed"
  "${engine[@]}" rm "$name" >/dev/null
}

call() {
  curl -sS -H "Authorization: Bearer $token" -H 'Content-Type: application/json' "http://$address/api/v1/$1" "${@:2}"
}

start
user=$("${engine[@]}" inspect -f '{{.Config.User}}' "$name")
[ "$user" = 10001:10001 ] || fail "it runs as $user"
token=
for _ in $(seq 30); do
  "${engine[@]}" cp "$name:/var/lib/forebay/admin-credentials" "$work/credentials" 2>/dev/null \
    && token=$(sed -n 's/^TOKEN=//p' "$work/credentials") && [ -n "$token" ] && break
  sleep 1
done
[ -n "$token" ] || fail "it made no token"
if "${engine[@]}" logs "$name" 2>&1 | grep fb_ >/dev/null; then fail "a token is in the log"; fi
"${engine[@]}" exec "$name" java -cp /opt/forebay/health Ready || fail "the health check says that it is not ready"
answer=$(call 'statements/notes.add?wait=20s' -H 'Idempotency-Key: smoke' -d '{"text": "from a container"}')
say "$answer"
case $answer in *'"state":"done"'*) ;; *) fail "the statement was not performed" ;; esac
id=$(grep -o '"id":"[^"]*"' <<<"$answer" | cut -d'"' -f4)
stop
start
answer=$(call "results/$id")
say "$answer"
case $answer in *'"state":"done"'*) ;; *) fail "the result is gone" ;; esac
answer=$(call 'statements/notes.list?wait=20s' -d '{}')
case $answer in *'from a container'*) ;; *) fail "what was performed is gone: $answer" ;; esac
stop
say "all is well; the image is $("${engine[@]}" image inspect -f '{{.Size}}' forebay-smoke | awk '{printf "%.0f MB", $1 / 1e6}')"
