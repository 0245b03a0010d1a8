import { mkdir, writeFile } from 'node:fs/promises'
import net from 'node:net'
import path from 'node:path'
import { createInterface } from 'node:readline'

const HOST = '127.0.0.1'
const END = '.'

/** A mail server for the demo: accepts every mail and stores it in a folder. Returns its URL. */
export async function startMailServer(folder: string): Promise<string> {
  await mkdir(folder, { recursive: true, mode: 0o700 })
  let received = 0
  const server = net.createServer((socket) => {
    const reply = (text: string) => socket.write(`${text}\r\n`)
    let mail: string[] | null = null
    const lines = createInterface({ input: socket, crlfDelay: Infinity })
    // The dashboard checks that the port is open and disconnects right away.
    lines.on('error', () => socket.destroy())
    socket.on('error', () => socket.destroy())
    reply('220 demo')
    lines.on('line', (text) => {
      if (mail && text !== END) mail.push(text.replace(/^\.\./, '.'))
      else if (mail) {
        const name = `${Date.now()}-${++received}.eml`
        const content = `${mail.join('\r\n')}\r\n`
        mail = null
        writeFile(path.join(folder, name), content, { mode: 0o600 }).then(
          () => reply('250 kept'),
          () => reply('451 could not be kept'),
        )
      } else if (/^data/i.test(text)) {
        mail = []
        reply('354 go on')
      } else if (/^quit/i.test(text)) socket.end('221 bye\r\n')
      else reply('250 ok')
    })
  })
  await new Promise<void>((done, failed) => server.once('error', failed).listen(0, HOST, done))
  server.unref()
  const address = server.address()
  const port = typeof address === 'object' && address ? address.port : 0
  return `smtp://${HOST}:${port}`
}
