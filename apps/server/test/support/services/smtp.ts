import net from 'node:net'

export type SmtpSink = {
  url: string
  port: number
  received: { to: string[]; data: string }[]
  stop(): void
}

/**
 * A mail server that speaks just enough SMTP. It rejects the first `turnAway` mails as busy, and requires `login`
 * (`user:password`) if given.
 */
export async function startSmtp({
  turnAway = 0,
  login,
}: { turnAway?: number; login?: string } = {}): Promise<SmtpSink> {
  const received: SmtpSink['received'] = []
  const sockets = new Set<net.Socket>()
  const server = net.createServer((socket) => {
    sockets.add(socket.once('close', () => sockets.delete(socket)))
    let buffer = ''
    let data: string | undefined
    let to: string[] = []
    const reply = (...lines: string[]) => socket.write(lines.map((line) => `${line}\r\n`).join(''))
    const receive = (line: string) => {
      if (data !== undefined) {
        if (line !== '.') return void (data += `${line.replace(/^\./, '')}\r\n`)
        received.push({ to, data })
        data = undefined
        to = []
        return void reply('250 2.0.0 kept as 4711')
      }
      const command = line.toUpperCase()
      if (command.startsWith('EHLO')) reply('250-example.org', login ? '250 AUTH PLAIN' : '250 HELP')
      else if (command.startsWith('AUTH PLAIN')) {
        const [, user, password] = Buffer.from(line.slice(11), 'base64').toString().split('\0')
        reply(
          `${user}:${password}` === login
            ? '235 2.7.0 welcome'
            : '535 5.7.8 Authentication credentials invalid',
        )
      } else if (command.startsWith('MAIL FROM') && turnAway-- > 0) reply('451 busy, come back later')
      else if (command.startsWith('RCPT TO:<NOBODY@')) reply('550 5.1.1 No such mailbox here')
      else if (command.startsWith('RCPT TO')) {
        to.push(line.slice(8))
        reply('250 ok')
      } else if (command === 'DATA') {
        data = ''
        reply('354 go on')
      } else if (command === 'QUIT') socket.end('221 bye\r\n')
      else reply('250 ok')
    }
    socket.on('error', () => {})
    socket.on('data', (chunk) => {
      buffer += chunk.toString()
      for (let end = buffer.indexOf('\r\n'); end >= 0; end = buffer.indexOf('\r\n')) {
        receive(buffer.slice(0, end))
        buffer = buffer.slice(end + 2)
      }
    })
    reply('220 example.org')
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const address = server.address()
  if (address === null || typeof address === 'string') throw new Error('no port')
  return {
    url: `smtp://127.0.0.1:${address.port}`,
    port: address.port,
    received,
    stop: () => {
      server.close()
      for (const socket of sockets) socket.destroy()
    },
  }
}
