import type { Desktop } from '@flotilla/contract/desktops/desktops'
import { ShownPassword } from '../../desktop/desktop-password'
import { Card } from '../../ui/layout/card'
import { CopyText } from '../../ui/text/copy-text'

/** The desktop's password, and how its owner connects with a viewer on their own computer. */
export function HowToConnect({ desktop }: { desktop: Desktop }) {
  const { tunnel, asksPassword } = desktop
  if (!tunnel && !asksPassword) return null
  return (
    <div className="grid items-start gap-4 lg:grid-cols-2">
      <Card
        title="Password"
        description={
          asksPassword
            ? 'Enter it when this page or a VNC viewer on your computer asks for it.'
            : 'Enter it when a VNC viewer on your computer asks for it.'
        }
      >
        <ShownPassword desktopId={desktop.id} />
      </Card>
      {tunnel && (
        <Card
          title="Use your own VNC viewer"
          description="It connects through an SSH tunnel with your key for this cluster."
        >
          <ol className="flex list-decimal flex-col gap-2 pl-5 text-body text-ink-2 marker:text-ink-3">
            <li>
              Open the tunnel, and leave it running:
              <br />
              <CopyText wrap label="SSH command" text={tunnel.command} />
            </li>
            <li>
              Connect the viewer to this address, and enter the password:
              <br />
              <CopyText label="address" text={tunnel.viewer} />
            </li>
          </ol>
        </Card>
      )}
    </div>
  )
}
