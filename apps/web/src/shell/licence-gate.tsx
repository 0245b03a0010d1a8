import { firstMessages } from '@flotilla/contract/first-messages'
import { Suspense, lazy, useEffect, useState } from 'react'
import type { ReactNode } from 'react'
import { boot } from '../api/boot'
import { useConfig } from '../api/config'
import type { LicenceProblem } from '../api/licence'
import { LoadingScreen } from './loading-screen'

const LicenceCard = lazy(() => import('./licence-card'))

type State = 'requesting' | 'valid' | LicenceProblem

/** Nothing of the app is drawn before the licence holds; while it does not, it is asked for again and again. */
export function LicenceGate({ children }: { children: ReactNode }) {
  const { updateInterval } = useConfig()
  const [state, setState] = useState<State>('requesting')

  useEffect(() => {
    const { licence, askLicence } = boot()
    let timer: ReturnType<typeof setTimeout> | undefined
    let gone = false
    const look = async (answer: Promise<Response>) => {
      const problem = await problemOf(answer)
      if (gone) return
      setState(problem ?? 'valid')
      if (problem) timer = setTimeout(() => void look(askLicence()), updateInterval)
    }
    void look(licence)
    return () => {
      gone = true
      clearTimeout(timer)
    }
  }, [updateInterval])

  if (state === 'valid') return children
  if (state === 'requesting') return <LoadingScreen />
  return (
    <Suspense fallback={<LoadingScreen />}>
      <LicenceCard problem={state} />
    </Suspense>
  )
}

const unreached: LicenceProblem = {
  title: firstMessages.networkError,
  message: '',
  hints: firstMessages.networkHints,
}

/** Null when the licence holds. A server that was not reached would not send more code either, so that needs none. */
async function problemOf(answer: Promise<Response>): Promise<LicenceProblem | null> {
  try {
    const response = await answer
    if (response.ok) return null
    const { licenceProblem } = await import('../api/licence')
    return await licenceProblem(response)
  } catch {
    return unreached
  }
}
