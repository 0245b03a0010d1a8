/*
 * Every component of the kit with realistic content, for working on the kit: `npm run dev`, then /gallery.html. Not
 * part of the production build.
 */
import {
  createMemoryHistory,
  createRootRoute,
  createRoute,
  createRouter,
  RouterProvider,
} from '@tanstack/react-router'
import { StrictMode, useState } from 'react'
import { createRoot } from 'react-dom/client'
import { Controls } from './gallery/controls'
import { Feedback } from './gallery/feedback'
import { Forms } from './gallery/forms'
import { Overlays } from './gallery/overlays'
import { Tables } from './gallery/tables'
import './styles.css'
import { Button } from './ui/button/button'
import { Notices } from './ui/feedback/notices'
import { PageHeader } from './ui/layout/page-header'

function Gallery() {
  const [safe, setSafe] = useState(false)
  const toggleTheme = () => {
    const { dataset } = document.documentElement
    dataset['theme'] = dataset['theme'] === 'dark' ? 'light' : 'dark'
  }
  const toggleSafe = () => {
    if (safe) delete document.documentElement.dataset['palette']
    else document.documentElement.dataset['palette'] = 'safe'
    setSafe(!safe)
  }
  return (
    <main className="mx-auto max-w-320 p-4 sm:p-8">
      <PageHeader
        title="Component gallery"
        description="Every component of the console, with realistic content."
        actions={
          <>
            <Button onClick={toggleSafe}>{safe ? 'Default palette' : 'Color-blind-safe palette'}</Button>
            <Button onClick={toggleTheme}>Switch theme</Button>
          </>
        }
      />
      <div className="flex flex-col gap-6">
        <Tables />
        <Controls />
        <Forms />
        <Feedback />
        <Overlays />
      </div>
      <Notices hideAfterMs={6000} />
    </main>
  )
}

const root = createRootRoute({ component: Gallery })
const anywhere = createRoute({ getParentRoute: () => root, path: '$' })
const router = createRouter({
  routeTree: root.addChildren([anywhere]),
  history: createMemoryHistory({ initialEntries: ['/gallery/nodes'] }),
})

const place = document.getElementById('root')
if (place) {
  createRoot(place).render(
    <StrictMode>
      {/* A different router than the console's, whose type is the registered one. */}
      <RouterProvider router={router as never} />
    </StrictMode>,
  )
}
