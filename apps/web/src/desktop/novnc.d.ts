/** The parts of noVNC that are used here: the package has no types of its own. */
declare module '@novnc/novnc' {
  type Events = {
    connect: CustomEvent<object>
    disconnect: CustomEvent<{ clean: boolean }>
    credentialsrequired: CustomEvent<{ types: string[] }>
    securityfailure: CustomEvent<{ status: number; reason?: string }>
    clipboard: CustomEvent<{ text: string }>
  }

  export default class RFB {
    constructor(target: HTMLElement, channel: WebSocket, options?: { shared?: boolean })
    viewOnly: boolean
    scaleViewport: boolean
    resizeSession: boolean
    qualityLevel: number
    compressionLevel: number
    background: string
    addEventListener<E extends keyof Events>(event: E, listener: (event: Events[E]) => void): void
    disconnect(): void
    focus(): void
    sendCredentials(credentials: { password: string }): void
    sendCtrlAltDel(): void
    sendKey(keysym: number, code: string | null, down?: boolean): void
    clipboardPasteFrom(text: string): void
  }
}
