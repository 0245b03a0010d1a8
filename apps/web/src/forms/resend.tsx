import { COUNTDOWN_TICK_MS, RESEND_FIRST_S, RESEND_NEXT_S } from '@flotilla/contract/limits'
import { messages } from '@flotilla/contract/messages'
import { useEffect, useState } from 'react'
import { Button } from '../ui/button/button'

type State = { at: 'idle' } | { at: 'sending' } | { at: 'sent'; until: number } | { at: 'failed' }

/** Requests a new code; disabled for 20 seconds after the first time, and for 10 after that. */
export function ResendCode(props: { onResend: () => Promise<unknown>; disabledReason?: string | null }) {
  const [state, setState] = useState<State>({ at: 'idle' })
  const [wait, setWait] = useState(RESEND_FIRST_S)
  const [now, setNow] = useState(() => Date.now())

  const until = state.at === 'sent' ? state.until : null
  useEffect(() => {
    if (until === null) return
    const timer = setInterval(() => {
      setNow(Date.now())
      if (Date.now() >= until) setState({ at: 'idle' })
    }, COUNTDOWN_TICK_MS)
    return () => clearInterval(timer)
  }, [until])

  const resend = async () => {
    setState({ at: 'sending' })
    try {
      await props.onResend()
      setNow(Date.now())
      setState({ at: 'sent', until: Date.now() + wait * COUNTDOWN_TICK_MS })
      setWait(RESEND_NEXT_S)
    } catch {
      setState({ at: 'failed' })
    }
  }

  const left = until === null ? 0 : Math.max(0, Math.ceil((until - now) / COUNTDOWN_TICK_MS))
  return (
    <div className="flex flex-wrap items-center gap-2">
      <Button
        variant="ghost"
        className="-ml-3"
        busy={state.at === 'sending'}
        disabled={state.at === 'sent'}
        disabledReason={props.disabledReason}
        onClick={() => void resend()}
      >
        {state.at === 'sent' ? `Sent (${left})` : 'Resend Code'}
      </Button>
      <span role="status" className="text-label text-red">
        {state.at === 'failed' ? messages.resendFailed : ''}
      </span>
    </div>
  )
}
