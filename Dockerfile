# The service in an image of its own: what `npm run build` makes, and node. Nothing else is needed to run it.
ARG NODE=20.20.2-bookworm-slim

FROM node:${NODE} AS build
WORKDIR /build
COPY package.json package-lock.json .npmrc ./
RUN npm ci
COPY tsconfig.json ./
COPY scripts scripts
COPY src src
RUN mv "$(dirname "$(node scripts/build.js)")" /service

FROM node:${NODE}
# What the allocator is told makes it give memory back (bench/README.md).
ENV NODE_ENV=production DATA_DIR=/data LOG_FORMAT=json MALLOC_ARENA_MAX=1 MALLOC_MMAP_THRESHOLD_=32768
# A volume that is made for this folder belongs to the same user.
RUN install -d -o node -g node /data
COPY --from=build /service /service
# Says that main.js is a module.
COPY --from=build /build/package.json /service/package.json
USER node
VOLUME /data
EXPOSE 4000
HEALTHCHECK --interval=10s --timeout=3s --start-period=10s \
  CMD ["node", "-e", "fetch(`http://127.0.0.1:${process.env.PORT || 4000}/health/live`).then(({ ok }) => process.exit(ok ? 0 : 1))"]
CMD ["node", "/service/main.js"]
