# syntax=docker/dockerfile:1
# The image is the npm package, installed: what "npm pack" makes, on a base with Node and nothing else. No shell, no
# package manager, not root; only /data is written. deploy/image.sh builds and checks it with buildah.
#
#   docker build -t shortlink .
#   docker buildx build --platform linux/amd64,linux/arm64 -t shortlink .

# Runs on the machine that builds, whatever the image is for: npm chooses the native packages by TARGETARCH.
FROM --platform=$BUILDPLATFORM docker.io/library/node:24-trixie-slim AS build
ARG TARGETARCH=amd64
WORKDIR /source
COPY . .
RUN npm pack
RUN mkdir -p /app /volumes && mkdir -m 700 /volumes/data && tar -xzf shortlink-*.tgz --strip-components=1 -C /app
WORKDIR /app
RUN npm ci --omit=dev --ignore-scripts --no-audit --no-fund --os=linux --libc=glibc --cpu=$([ $TARGETARCH = amd64 ] && echo x64 || echo $TARGETARCH)
# The final image has no /usr/bin/env. With this line "docker exec CONTAINER shortlink COMMAND" works.
RUN sed -i '1s|.*|#!/nodejs/bin/node|' /app/bin/shortlink

FROM gcr.io/distroless/nodejs24-debian13:nonroot
COPY --from=build /app /app
# /data, of the user of this base alone: a new volume gets the owner and the mode of the folder that it covers. As a folder
# inside the copied one it keeps its mode.
COPY --from=build --chown=65532:65532 /volumes /
ENV NODE_ENV=production \
    PATH=/app/bin:/nodejs/bin:/usr/local/bin:/usr/bin:/bin \
    SHORTLINK_DATA_DIR=/data \
    SHORTLINK_HOST=0.0.0.0
USER 65532:65532
WORKDIR /data
VOLUME /data
EXPOSE 8080
HEALTHCHECK --interval=30s --timeout=5s --start-period=60s \
  CMD ["/nodejs/bin/node", "-e", "fetch(`http://127.0.0.1:${process.env.SHORTLINK_PORT || 8080}/healthz`).then(({ ok }) => process.exit(ok ? 0 : 1), () => process.exit(1))"]
ENTRYPOINT ["/nodejs/bin/node", "/app/bin/shortlink"]
CMD ["serve"]
