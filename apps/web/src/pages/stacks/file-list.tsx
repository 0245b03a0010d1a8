import { stacks } from '@flotilla/contract/stacks/stacks'
import type { Stack, StackFileField } from '@flotilla/contract/stacks/entity'
import { Download } from 'lucide-react'
import { download } from '../../api/download'
import { showError } from '../../api/errors'
import { Card } from '../../ui/layout/card'
import { IconButton } from '../../ui/button/button'
import { sizeText } from '../../ui/text/size-text'

const texts: Record<StackFileField, string> = {
  nodeProvisioner: 'Node provisioner',
  serverProvisioner: 'Server provisioner',
  dataFiles: 'Node provisioner data',
  dataFilesB: 'Server provisioner data',
}

/** The files that are copied to the machine. Only the owner can download them. */
export function FileList({ stack }: { stack: Stack }) {
  const { nodeProvisioner, serverProvisioner, dataFiles, dataFilesB } = stack.provision
  const files: { field: StackFileField; name: string; size: number }[] = [
    ...(nodeProvisioner ? [{ field: 'nodeProvisioner' as const, ...nodeProvisioner }] : []),
    ...dataFiles.map((file) => ({ field: 'dataFiles' as const, ...file })),
    ...(serverProvisioner ? [{ field: 'serverProvisioner' as const, ...serverProvisioner }] : []),
    ...dataFilesB.map((file) => ({ field: 'dataFilesB' as const, ...file })),
  ]
  const save = ({ field, name }: (typeof files)[number]) =>
    download(stacks.file, { id: stack.id, field, name }, name).catch(showError)
  return (
    <Card title="Scripts and data">
      {files.length === 0 ? (
        <p className="text-body text-ink-2">
          None. The image contains the operating system, the resource manager and basic tools.
        </p>
      ) : (
        <ul className="flex flex-col gap-1">
          {files.map((file) => (
            <li key={`${file.field} ${file.name}`} className="flex min-h-8 items-center gap-3">
              <span className="min-w-0 flex-1">
                <span className="block truncate font-mono text-label">{file.name}</span>
                <span className="block text-label text-ink-3">
                  {texts[file.field]}, {sizeText(file.size)}
                </span>
              </span>
              {stack.mine && (
                <IconButton label={`Download ${file.name}`} icon={Download} onClick={() => void save(file)} />
              )}
            </li>
          ))}
        </ul>
      )}
    </Card>
  )
}
