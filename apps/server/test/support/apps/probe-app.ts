/** An app for tests: `/slow` ends its response only after `/go`, and other paths return the request they received. */
export const probeScript = `exec ${process.execPath} -e '
const http = require("node:http")
const server = http.createServer((request, response) => {
  if (request.url === "/ready") return response.writeHead(process.env.TOKEN && request.headers.authorization === "Bearer " + process.env.TOKEN ? 204 : 500).end()
  if (request.url === "/slow") { response.write("first\\n"); server.once("go", () => response.end("last\\n")); return }
  if (request.url === "/go") { server.emit("go"); return response.end("went") }
  if (request.url === "/framed") response.setHeader("content-security-policy", "default-src *; frame-ancestors *").setHeader("x-frame-options", "ALLOWALL")
  response.setHeader("set-cookie", ["a=1", "b=2"])
  let size = 0
  request.on("data", (data) => (size += data.length)).on("end", () => {
    const { url, method, headers } = request
    const { APP_COLOR, BASE_URL } = process.env
    response.end(JSON.stringify({ url, method, headers, size, color: APP_COLOR, base: BASE_URL }))
  })
})
server.on("upgrade", (request, socket) => {
  socket.write("HTTP/1.1 101 Switching Protocols\\r\\nUpgrade: websocket\\r\\nConnection: Upgrade\\r\\n\\r\\n")
  socket.on("error", () => {}).pipe(socket)
})
console.log("listening")
server.listen(process.env.PORT, process.env.HOST)
'
`

export const probeApp = {
  name: 'Probe',
  icon: 'flask' as const,
  fields: [
    { name: 'color', label: 'Color', kind: 'choice' as const, options: ['red', "it's blue"], default: 'red' },
  ],
  script: probeScript,
  resources: { cores: 1, walltime: '00:10:00' },
  ready: { path: '/ready', status: 204 },
}
