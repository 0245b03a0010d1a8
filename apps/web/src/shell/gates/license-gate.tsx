import { firstMessages } from '@flotilla/contract/first-messages'
import { Suspense, lazy, useEffect, useState } from 'react'
import type { ReactNode } from 'react'
import { boot } from '../../api/boot'
import { useConfig } from '../../api/config'
import type { LicenseProblem } from '../../api/license'
import { LoadingScreen } from './loading-screen'

const LicenseCard = lazy(() => import('./license-card'))

type State = 'requesting' | 'valid' | LicenseProblem

/** The app is not rendered before the license is valid; until then, the license is requested repeatedly. */
export function LicenseGate({ children }: { children: ReactNode }) {
  const { updateInterval } = useConfig()
  const [state, setState] = useState<State>('requesting')

  useEffect(() => {
    const { license, fetchLicense } = boot()
    let timer: ReturnType<typeof setTimeout> | undefined
    let unmounted = false
    const check = async (answer: Promise<Response>) => {
      const problem = await problemOf(answer)
      if (unmounted) return
      setState(problem ?? 'valid')
      if (problem) timer = setTimeout(() => void check(fetchLicense()), updateInterval)
    }
    void check(license)
    return () => {
      unmounted = true
      clearTimeout(timer)
    }
  }, [updateInterval])

  if (state === 'valid') return children
  if (state === 'requesting') return <LoadingScreen />
  return (
    <Suspense fallback={<LoadingScreen />}>
      <LicenseCard problem={state} />
    </Suspense>
  )
}

const unreachable: LicenseProblem = {
  title: firstMessages.networkError,
  message: '',
  hints: firstMessages.networkHints,
}

/** Null if the license is valid. An unreachable server is reported without loading more code, which would fail too. */
async function problemOf(request: Promise<Response>): Promise<LicenseProblem | null> {
  try {
    const response = await request
    if (response.ok) return null
    const { licenseProblem } = await import('../../api/license')
    return await licenseProblem(response)
  } catch {
    return unreachable
  }
}
