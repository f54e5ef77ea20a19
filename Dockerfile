# Small, unprivileged, without the embedded Postgres: a deployment brings its own stores (docs/deploy.md).
FROM node:22-bookworm-slim AS build
WORKDIR /app
COPY package.json package-lock.json ./
RUN npm ci --omit=optional --ignore-scripts
COPY tsconfig.json tsconfig.build.json ./
COPY src src
COPY examples examples
COPY bench bench
RUN npx tsc -p tsconfig.build.json && npm prune --omit=dev --omit=optional --ignore-scripts

FROM node:22-bookworm-slim
ENV NODE_ENV=production
WORKDIR /app
COPY --from=build /app/node_modules node_modules
COPY --from=build /app/dist dist
COPY package.json ./
COPY migrations migrations
COPY examples/packs examples/packs
COPY examples/compose examples/compose
USER node
EXPOSE 8787
# The process is PID 1: it handles SIGTERM itself and stops within ten seconds.
ENTRYPOINT ["node", "dist/src/main.js"]
CMD ["start"]
