import { mayAccess } from '@flotilla/contract/access'
import { apps, type App } from '@flotilla/contract/apps/apps'
import { Copy, FileDown, FileUp, Pencil, Plus, Trash2 } from 'lucide-react'
import { lazy, Suspense, useState } from 'react'
import { AppCard } from '../../apps/app-card'
import { LaunchDialog } from '../../apps/launch-dialog'
import { SessionList } from '../../apps/session-list'
import { useApiMutation, useApiQuery } from '../../api/query'
import { useIsAdmin, useUser } from '../../session/user'
import { Button } from '../../ui/button/button'
import { Async } from '../../ui/feedback/async'
import { SkeletonRows } from '../../ui/feedback/skeleton'
import { PageHeader } from '../../ui/layout/page-header'
import { ConfirmDialog } from '../../ui/overlay/confirm-dialog'
import type { MenuEntry } from '../../ui/overlay/menu-entry'
import type { AppDraft } from './app-form-state'
import { DesktopDialog } from './desktop-dialog'

const AppForm = lazy(() => import('./app-form'))
const ImportApp = lazy(() => import('./import-app'))
const exportApp = async (app: App) => (await import('./app-yaml')).exportApp(app)

type Open =
  | { kind: 'start' | 'remove' | 'desktop'; app: App }
  | { kind: 'form'; draft: AppDraft | null }
  | { kind: 'import' }
  | null

/** The catalog of apps and the running sessions. */
export default function AppsPage() {
  const mayAdd = mayAccess('instructor', useUser().role)
  const list = useApiQuery(apps.list, {})
  const [open, setOpen] = useState<Open>(null)
  const close = () => setOpen(null)
  const menuOf = (app: App): MenuEntry[] => {
    if (!mayAdd || app.opens === 'desktop') return []
    const reason = app.builtIn
      ? 'Built-in apps cannot be changed. Duplicate it instead.'
      : app.mine
        ? null
        : `Only ${app.owner} can do this`
    const { id: _id, ...copy } = { ...app, name: `${app.name} copy` }
    return [
      {
        label: 'Edit',
        icon: Pencil,
        disabledReason: reason,
        onSelect: () => setOpen({ kind: 'form', draft: app }),
      },
      { label: 'Duplicate', icon: Copy, onSelect: () => setOpen({ kind: 'form', draft: copy }) },
      { label: 'Export as YAML', icon: FileDown, onSelect: () => void exportApp(app) },
      'separator',
      {
        label: 'Delete',
        icon: Trash2,
        disabledReason: reason,
        onSelect: () => setOpen({ kind: 'remove', app }),
      },
    ]
  }
  return (
    <>
      <PageHeader
        title="Apps"
        description="Interactive programs that run on a cluster and open in your browser."
        actions={
          mayAdd && (
            <>
              <Button icon={FileUp} onClick={() => setOpen({ kind: 'import' })}>
                Import
              </Button>
              <Button variant="primary" icon={Plus} onClick={() => setOpen({ kind: 'form', draft: null })}>
                New app
              </Button>
            </>
          )
        }
      />
      <div className="flex flex-col gap-8">
        <section aria-label="Your sessions" className="flex flex-col gap-3">
          <h2 className="text-section font-semibold">Your sessions</h2>
          <SessionList />
        </section>
        <section aria-label="Catalog" className="flex flex-col gap-3">
          <h2 className="text-section font-semibold">Catalog</h2>
          <Async data={list} skeleton={<SkeletonRows rows={3} columns={3} />}>
            {(all) => (
              <ul aria-label="Apps" className="grid gap-4 sm:grid-cols-2 xl:grid-cols-3">
                {all.map((app) => (
                  <AppCard
                    key={app.id}
                    app={app}
                    menu={menuOf(app)}
                    onStart={() => setOpen({ kind: app.opens === 'desktop' ? 'desktop' : 'start', app })}
                  />
                ))}
              </ul>
            )}
          </Async>
        </section>
      </div>
      {open?.kind === 'start' && <LaunchDialog app={open.app} onClose={close} />}
      {open?.kind === 'desktop' && <DesktopDialog onClose={close} />}
      {open?.kind === 'remove' && <RemoveDialog app={open.app} onClose={close} />}
      <Suspense>
        {open?.kind === 'form' && <AppForm draft={open.draft} onClose={close} />}
        {open?.kind === 'import' && (
          <ImportApp onRead={(draft) => setOpen({ kind: 'form', draft })} onClose={close} />
        )}
      </Suspense>
    </>
  )
}

function RemoveDialog({ app, onClose }: { app: App; onClose: () => void }) {
  const isAdmin = useIsAdmin()
  const remove = useApiMutation(apps.remove, {
    admin: isAdmin,
    success: 'App deleted',
    invalidates: [apps.list],
    onSuccess: onClose,
  })
  return (
    <ConfirmDialog
      open
      onClose={onClose}
      title={`Delete ${app.name}?`}
      confirmLabel="Delete app"
      onConfirm={() => remove.mutateAsync({ id: app.id })}
    >
      <p>No one can start it anymore. Sessions that are running continue.</p>
    </ConfirmDialog>
  )
}
