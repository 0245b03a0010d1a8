import { acm, type AcmImage, type AcmShape } from '@flotilla/contract/clouds/acm'
import { HardDrive, Layers } from 'lucide-react'
import { useApiQuery } from '../../../api/query'
import { tableSettings } from '../../../session/page-settings'
import type { Column } from '../../../table/column'
import { numberColumn, textColumn } from '../../../table/columns'
import { DataTable } from '../../../table/data-table'
import { Async } from '../../../ui/feedback/async'
import { EmptyState } from '../../../ui/feedback/empty-state'
import { SkeletonRows } from '../../../ui/feedback/skeleton'

const shapeId = ({ instance_id }: AcmShape) => instance_id
const imageId = ({ id, architecture }: AcmImage) => `${id} ${architecture}`
const shapeSettings = tableSettings('acm-shapes')
const imageSettings = tableSettings('acm-images')

const shapeColumns: readonly Column<AcmShape>[] = [
  textColumn({
    id: 'shape',
    header: 'Shape',
    value: ({ name }) => name,
    width: 150,
    least: 96,
    grow: true,
    priority: 1,
  }),
  numberColumn({
    id: 'cores',
    header: 'Cores',
    value: ({ cores }) => cores,
    width: 80,
    least: 66,
    priority: 1,
  }),
  numberColumn({
    id: 'machines',
    header: 'Machines',
    value: ({ machines }) => machines,
    width: 100,
    priority: 2,
  }),
  numberColumn({
    id: 'ready',
    header: 'Free',
    value: ({ ready }) => ready,
    width: 80,
    least: 66,
    priority: 1,
  }),
]
const imageColumns: readonly Column<AcmImage>[] = [
  textColumn({ id: 'image', header: 'Image', value: ({ id }) => id, mono: true, width: 150, grow: true }),
  textColumn({ id: 'name', header: 'Name', value: ({ name }) => name, width: 160, priority: 2 }),
  textColumn({
    id: 'architecture',
    header: 'Architecture',
    value: ({ architecture }) => architecture,
    width: 120,
    priority: 3,
  }),
]

/** The shapes and images available for clusters and stacks. */
export function Offers({ credentialId }: { credentialId: string }) {
  const shapes = useApiQuery(acm.shapes, { query: { credentialId } })
  const images = useApiQuery(acm.images, { query: { credentialId } })
  return (
    <div className="mt-3 grid gap-6 lg:grid-cols-2">
      <section className="flex min-w-0 flex-col gap-3">
        <h3 className="text-body font-semibold">Shapes</h3>
        <Async
          data={shapes}
          skeleton={<SkeletonRows rows={3} columns={4} />}
          empty={
            <EmptyState icon={Layers} title="No shapes">
              Give machines a tag or a pool in your MAAS, and they are offered as a shape.
            </EmptyState>
          }
        >
          {(rows) => (
            <DataTable
              label="ACM shapes"
              columns={shapeColumns}
              rows={rows}
              rowId={shapeId}
              urlKey="shapes"
              settings={shapeSettings}
              filter={rows.length > 8}
              initialSort={{ column: 'shape', descending: false }}
            />
          )}
        </Async>
      </section>
      <section className="flex min-w-0 flex-col gap-3">
        <h3 className="text-body font-semibold">Images</h3>
        <Async
          data={images}
          skeleton={<SkeletonRows rows={3} columns={3} />}
          empty={
            <EmptyState icon={HardDrive} title="No images">
              Import an image in your MAAS, or build a stack.
            </EmptyState>
          }
        >
          {(rows) => (
            <DataTable
              label="ACM images"
              columns={imageColumns}
              rows={rows}
              rowId={imageId}
              urlKey="images"
              settings={imageSettings}
              filter={rows.length > 8}
              initialSort={{ column: 'image', descending: false }}
            />
          )}
        </Async>
      </section>
    </div>
  )
}
