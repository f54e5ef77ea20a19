# Small, unprivileged, without the embedded Postgres: a deployment brings its own stores (docs/deploy.md).
FROM node:22-bookworm-slim AS build
WORKDIR /app
COPY package.json package-lock.json ./
RUN npm ci --omit=optional --ignore-scripts
COPY tsconfig.json tsconfig.build.json ./
COPY src src
COPY examples examples
RUN npx tsc -p tsconfig.build.json && chmod +x dist/src/main.js \
  && npm prune --omit=dev --omit=optional --ignore-scripts

FROM node:22-bookworm-slim
ENV NODE_ENV=production
WORKDIR /app
COPY --from=build /app/node_modules node_modules
COPY --from=build /app/dist dist
COPY package.json ./
COPY migrations migrations
COPY examples/packs examples/packs
COPY examples/compose examples/compose
# What commands print as the next step can be typed in the container too.
RUN ln -s /app/dist/src/main.js /usr/local/bin/hcp-sense
# node's, as a number: where containers must not run as root (Kubernetes' runAsNonRoot), a name proves nothing.
USER 1000
EXPOSE 8787
# The process is PID 1: it handles SIGTERM itself and stops within ten seconds.
ENTRYPOINT ["node", "dist/src/main.js"]
CMD ["start"]
