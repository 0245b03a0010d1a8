import type { Stack, StackFile, StackFileField, Upload } from '@flotilla/contract/stacks/entity'

/** A script that is stored, or was typed or chosen here. */
export interface Script {
  stored: StackFile | null
  /** Null while the stored script is unchanged. */
  typed: { name: string; text: string } | null
}
export interface DataFiles {
  stored: readonly StackFile[]
  added: readonly File[]
}
export interface StackFiles {
  nodeProvisioner: Script
  serverProvisioner: Script
  dataFiles: DataFiles
  dataFilesB: DataFiles
}
export type ScriptField = 'nodeProvisioner' | 'serverProvisioner'
export type DataField = 'dataFiles' | 'dataFilesB'

export const filesOf = (stack: Stack | null): StackFiles => {
  const script = (stored: StackFile | null = null): Script => ({ stored, typed: null })
  const data = (stored: readonly StackFile[] = []): DataFiles => ({ stored, added: [] })
  return {
    nodeProvisioner: script(stack?.provision.nodeProvisioner),
    serverProvisioner: script(stack?.provision.serverProvisioner),
    dataFiles: data(stack?.provision.dataFiles),
    dataFilesB: data(stack?.provision.dataFilesB),
  }
}

/** Whether there is a script, which may install what no package source has. */
export const hasScript = ({ nodeProvisioner, serverProvisioner }: StackFiles): boolean =>
  [nodeProvisioner, serverProvisioner].some(({ stored, typed }) => stored !== null || typed !== null)

const names = (files: readonly StackFile[]) => files.map(({ name }) => ({ name }))
const keptScript = ({ stored, typed }: Script) => (stored && !typed ? { name: stored.name } : null)

/** The stored files to keep. */
export const keptFiles = (files: StackFiles) => ({
  nodeProvisioner: keptScript(files.nodeProvisioner),
  serverProvisioner: keptScript(files.serverProvisioner),
  dataFiles: names(files.dataFiles.stored),
  dataFilesB: names(files.dataFilesB.stored),
})

/** The files to upload. */
export async function uploadsOf(
  files: StackFiles,
): Promise<{ [Field in StackFileField]?: Field extends DataField ? Upload[] : Upload }> {
  const script = ({ typed }: Script): Upload | undefined =>
    typed && typed.text.trim() !== ''
      ? { name: typed.name, bytes: new TextEncoder().encode(typed.text) }
      : undefined
  const data = ({ added }: DataFiles): Promise<Upload[]> =>
    Promise.all(
      added.map(async (file) => ({ name: file.name, bytes: new Uint8Array(await file.arrayBuffer()) })),
    )
  const [dataFiles, dataFilesB] = await Promise.all([data(files.dataFiles), data(files.dataFilesB)])
  const [nodeProvisioner, serverProvisioner] = [
    script(files.nodeProvisioner),
    script(files.serverProvisioner),
  ]
  return {
    ...(nodeProvisioner && { nodeProvisioner }),
    ...(serverProvisioner && { serverProvisioner }),
    ...(dataFiles.length > 0 && { dataFiles }),
    ...(dataFilesB.length > 0 && { dataFilesB }),
  }
}
