# The service: Node and what `npm run build` writes. It needs nothing else.
ARG NODE=20.20.2-bookworm-slim

FROM node:${NODE} AS build
WORKDIR /build
COPY package.json package-lock.json .npmrc ./
RUN npm ci
COPY tsconfig.json ./
COPY scripts scripts
COPY src src
RUN npm run build

FROM node:${NODE}
ENV NODE_ENV=production DATA_DIR=/data LOG_FORMAT=json
# A volume made for this folder belongs to the same user.
RUN install -d -o node -g node /data
COPY --from=build /build/dist /service
USER node
VOLUME /data
EXPOSE 4000
HEALTHCHECK --interval=10s --timeout=3s --start-period=10s \
  CMD ["node", "-e", "fetch(`http://127.0.0.1:${process.env.ADMIN_PORT || process.env.PORT || 4000}/health/live`).then(({ ok }) => process.exit(ok ? 0 : 1))"]
CMD ["node", "/service/main.js"]
