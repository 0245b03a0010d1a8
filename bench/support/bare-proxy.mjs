// @ts-check
// A minimal Node proxy without host names, tickets or permissions. TARGET is the port that it forwards everything to.
import { Agent, createServer, request } from 'node:http'

const agent = new Agent({ keepAlive: true })
const { HOST, PORT, TARGET } = process.env

createServer((incoming, response) => {
  const { method, url: path, headers } = incoming
  const sent = request({ host: HOST, port: TARGET, agent, method, path, headers }, (answer) => {
    response.writeHead(answer.statusCode ?? 502, answer.headers)
    answer.pipe(response)
  })
  sent.on('error', () => response.destroy())
  incoming.pipe(sent)
}).listen(Number(PORT), HOST)
