import { Suspense, lazy, useEffect, useState } from 'react'
import type { ReactNode } from 'react'
import { boot } from '../api/boot'
import { useConfig } from '../api/config'
import { licenceProblem } from '../api/licence'
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
      const problem = await licenceProblem(answer)
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
