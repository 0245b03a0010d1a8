import { toApiError } from '@flotilla/client/api-error'
import {
  DESKTOP_CLOSE,
  DESKTOP_SOCKET,
  DesktopHandshake,
  desktops,
  type DesktopMode,
} from '@flotilla/contract/desktops/desktops'
import type RFB from '@novnc/novnc'
import { call } from '../api/call'

type Outcome =
  /** `ended` is final; only an `interrupted` connection can be restored. */
  { at: 'ended'; reason: string } | { at: 'interrupted' }

type Options = {
  desktopId: string
  mode: DesktopMode
  /** Whether an admin connects to another user's desktop. */
  admin: boolean
  target: HTMLElement
  /** Called when the desktop is shown. */
  onOpen(rfb: RFB): void
  onPasswordNeeded(rfb: RFB, wasWrong: boolean): void
  onClipboard(text: string): void
  onEnd(outcome: Outcome): void
}

const socketUrl = (): string => `${location.origin.replace(/^http/, 'ws')}${DESKTOP_SOCKET}`

/** Connects to a desktop and returns a function that disconnects. noVNC is loaded on first use. */
export function connectDesktop(options: Options): () => void {
  const { desktopId, mode, admin, target } = options
  let socket: WebSocket | undefined
  let isOver = false
  let isPasswordWrong = false
  const end = (outcome: Outcome): void => {
    if (isOver) return
    isOver = true
    socket?.close()
    target.replaceChildren()
    options.onEnd(outcome)
  }

  const start = async (): Promise<void> => {
    const [{ default: Rfb }, { ticket }] = await Promise.all([
      import('@novnc/novnc'),
      call(desktops.ticket, { id: desktopId, body: { mode } }, { admin }),
    ])
    if (isOver) return
    const opened = new WebSocket(socketUrl())
    socket = opened
    opened.binaryType = 'arraybuffer'
    opened.addEventListener('open', () => opened.send(ticket), { once: true })
    // noVNC's own listener does not pass on the close code and reason.
    opened.addEventListener('close', ({ code, reason }) => {
      if (isPasswordWrong) return
      end(code === DESKTOP_CLOSE.ended ? { at: 'ended', reason } : { at: 'interrupted' })
    })
    const readHandshake = ({ data }: MessageEvent): void => {
      const handshake = DesktopHandshake.parse(JSON.parse(String(data)))
      if (!handshake.ok) return end({ at: 'ended', reason: handshake.message })
      // noVNC takes over the socket before the next message arrives.
      begin(new Rfb(target, opened, { shared: true }))
    }
    opened.addEventListener('message', readHandshake, { once: true })
  }

  const begin = (rfb: RFB): void => {
    rfb.viewOnly = mode === 'view'
    rfb.scaleViewport = true
    rfb.background = 'transparent'
    rfb.addEventListener('connect', () => options.onOpen(rfb))
    rfb.addEventListener('credentialsrequired', () => options.onPasswordNeeded(rfb, false))
    rfb.addEventListener('clipboard', ({ detail }) => options.onClipboard(detail.text))
    rfb.addEventListener('securityfailure', () => {
      isPasswordWrong = true
      options.onPasswordNeeded(rfb, true)
    })
  }

  start().catch((error: unknown) => {
    const { message, status } = toApiError(error)
    end(status === 0 || status === 503 ? { at: 'interrupted' } : { at: 'ended', reason: message })
  })
  return () => {
    isOver = true
    socket?.close()
    target.replaceChildren()
  }
}
