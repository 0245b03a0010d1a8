// @ts-check
// Loaded into the server's own process: serves a bare page with the same delay as the license gate adds to the app.
import { Server } from 'node:http'

const HELD_MS = 500
const page = `<!doctype html><html lang="en"><title>Held</title><h1>Clusters when you need them</h1>
<p>Build machine images, start clusters on your cloud or on machines you already have, run batch jobs.</p>`

const { emit } = Server.prototype
/** @this {Server} @param {any[]} args */
function emitOrHold(...args) {
  const [event, request, response] = args
  if (event !== 'request' || request.url !== '/held-page') return Reflect.apply(emit, this, args)
  setTimeout(() => response.writeHead(200, { 'content-type': 'text/html; charset=utf-8' }).end(page), HELD_MS)
  return true
}
Server.prototype.emit = emitOrHold
