import type { ServedConfig } from '@flotilla/contract/site/config'
import { RouterProvider } from '@tanstack/react-router'
import { StrictMode } from 'react'
import { createRoot } from 'react-dom/client'
import { boot } from './api/boot'
import { ConfigProvider, loadConfig } from './api/config'
import { loadIntro } from './guest/intro'
import { paths } from './paths'
import { createAppRouter, fetchPage } from './router'
import { checkSavedSession, followOtherTabs } from './login/session'
import { currentUser, session } from './session/store'
import { applyBranding } from './shell/frame/branding'
import { Hosts } from './shell/hosts'
import { LicenseGate } from './shell/gates/license-gate'
import { RootBoundary } from './shell/gates/root-boundary'
import { SessionGate } from './shell/gates/session-gate'
import { followAppearance, appearance, storedAppearance } from './shell/theme'
import './styles.css'

async function start(place: HTMLElement): Promise<void> {
  followAppearance()
  const config = await loadConfig(boot().config)
  // The intro next to the login form is the largest element of that page: load it during the license check.
  if (session.get().status === 'guest') void loadIntro(config.intro)
  const branded = applyBranding(config).catch(() => undefined)

  const router = createAppRouter(config)
  const loggedIn = () => JSON.stringify([currentUser()?.id, currentUser()?.role])
  let person = loggedIn()
  session.subscribe(() => {
    const now = session.get()
    if (now.status === 'checking' || now.status === 'unreachable') return
    const next = loggedIn()
    if (next === person) return
    person = next
    if (now.status === 'guest') {
      appearance.set(storedAppearance())
      if (!now.keepPath) return void router.navigate({ to: paths.login(), replace: true })
    }
    // The guards check again whether the user may see the page.
    void router.invalidate()
  })

  const idleMs = config.idleTimer * 1000
  followOtherTabs(idleMs)
  // Load the session and the page's code during the license check.
  if (session.get().status === 'checking') fetchPage(router, location.pathname)
  void checkSavedSession(idleMs).then(() => router.load())

  await branded
  createRoot(place).render(
    <StrictMode>
      <RootBoundary>
        <ConfigProvider initial={config} onChange={brand}>
          <LicenseGate>
            <SessionGate>
              <RouterProvider router={router} />
            </SessionGate>
          </LicenseGate>
          <Hosts />
        </ConfigProvider>
      </RootBoundary>
    </StrictMode>,
  )
}

const brand = (config: ServedConfig) => void applyBranding(config).catch(() => undefined)

const place = document.getElementById('root')
if (place) void start(place)
