import { ChevronDown, Copy, Pencil, Trash2 } from 'lucide-react'
import { useId, useState } from 'react'
import { Button } from '../ui/button/button'
import { Card } from '../ui/layout/card'
import { ConfirmDialog } from '../ui/overlay/confirm-dialog'
import { Dialog } from '../ui/overlay/dialog'
import { ErrorDialog } from '../ui/overlay/error-dialog'
import { Field } from '../ui/form/field'
import { Input } from '../ui/form/input'
import { Menu } from '../ui/overlay/menu'
import { notices } from '../ui/feedback/notices-store'
import { Tooltip } from '../ui/overlay/tooltip'

type Open = 'dialog' | 'confirm' | 'error' | null

export function Overlays() {
  const [open, setOpen] = useState<Open>(null)
  const form = useId()
  const close = () => setOpen(null)
  const items = [
    { heading: 'aurora-cfd' },
    { label: 'Rename', icon: Pencil, shortcut: 'R', onSelect: () => setOpen('dialog') },
    { label: 'Duplicate', icon: Copy, disabledReason: 'Your quota allows no more clusters', onSelect: close },
    'separator' as const,
    { label: 'Destroy', icon: Trash2, onSelect: () => setOpen('confirm') },
  ]
  return (
    <Card title="Overlays">
      <div className="flex flex-wrap items-center gap-2">
        <Button onClick={() => setOpen('dialog')}>Open dialog</Button>
        <Button onClick={() => setOpen('confirm')}>Open confirmation</Button>
        <Button onClick={() => setOpen('error')}>Open error</Button>
        <Menu
          label="Cluster actions"
          align="start"
          items={items}
          trigger={
            <Button>
              Actions <ChevronDown size={16} strokeWidth={1.75} aria-hidden />
            </Button>
          }
        />
        <Menu label="More actions" items={items} />
        <Tooltip content="Prices are estimates based on list prices">
          <Button variant="ghost">Hover me</Button>
        </Tooltip>
        <Button onClick={() => notices.success('Cluster Deleted')}>Success notice</Button>
        <Button onClick={() => notices.error('The credential was refused by AWS: check its secret key')}>
          Error notice
        </Button>
        <Button onClick={() => notices.info(`Build ${Date.now()} was queued`)}>Info notice</Button>
      </div>
      <Dialog
        open={open === 'dialog'}
        onClose={close}
        title="Rename cluster"
        description="Links to it keep working."
        footer={
          <>
            <Button onClick={close}>Cancel</Button>
            <Button variant="primary" type="submit" form={form}>
              Rename
            </Button>
          </>
        }
      >
        <form
          id={form}
          className="flex flex-col gap-4"
          onSubmit={(event) => {
            event.preventDefault()
            close()
          }}
        >
          <Field label="New name">{(aria) => <Input {...aria} defaultValue="aurora-cfd" />}</Field>
          <div>
            <Menu label="Actions in the dialog" items={items} />
            <Button disabledReason="Only the owner can transfer it">Transfer</Button>
          </div>
        </form>
      </Dialog>
      <ConfirmDialog
        open={open === 'confirm'}
        onClose={close}
        title="Destroy aurora-cfd?"
        confirmLabel="Destroy cluster"
        typeToConfirm="aurora-cfd"
        onConfirm={async () => {
          await new Promise((done) => setTimeout(done, 800))
          close()
        }}
      >
        <p>Its 8 nodes, their disks and everything in /home on them are deleted. This cannot be undone.</p>
        <p>3 running jobs are canceled. It stops costing 12.40 USD per hour.</p>
      </ConfirmDialog>
      <ErrorDialog
        message={open === 'error' ? 'The cluster cannot be stopped while it is deploying' : null}
        onClose={close}
      />
    </Card>
  )
}
