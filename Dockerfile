# The image of momo: `docker build .` and `podman build --format docker .` make it from these sources. From the base, momo needs only glibc.
FROM --platform=$BUILDPLATFORM docker.io/library/node:24-trixie-slim AS build
ARG TARGETARCH
WORKDIR /momo
COPY . .
RUN npm run release:image -- "$TARGETARCH"

FROM gcr.io/distroless/base-nossl-debian13
COPY --from=build /momo/dist/image /
# This folder belongs to momo's user, whoever owns the volume.
ENV MOMO_DATA=/data/momo MOMO_SERVE_HOST=0.0.0.0
USER 65532:65532
VOLUME /data
EXPOSE 2547
# Docker runs the first check after one interval, and services in CI wait for it.
HEALTHCHECK --interval=2s --timeout=2s --retries=5 CMD ["momo", "health"]
ENTRYPOINT ["momo"]
CMD ["serve"]
