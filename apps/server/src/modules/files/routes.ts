import { files as calls } from '@flotilla/contract/jobs/files'
import { messages } from '@flotilla/contract/messages'
import type { Bind } from '../../http/bind'
import type { Files } from './files'

const done = async (work: Promise<void>, message: string) => {
  await work
  return { message }
}

export function bindFiles(bind: Bind, files: Files): void {
  bind(calls.list, ({ cluster, query }, me) => files.list(me, cluster, query.path))
  bind(calls.readText, ({ cluster, query }, me) => files.readText(me, cluster, query.path))
  bind(calls.readPage, ({ cluster, query }, me) => files.readPage(me, cluster, query.path, query.page))
  bind(calls.setPermissions, ({ cluster, body }, me) =>
    done(files.setPermissions(me, cluster, body), 'Permissions changed'),
  )
  bind(calls.writeText, ({ cluster, body }, me) =>
    files.writeText(me, cluster, body.path, body.text, body.modifiedAt),
  )
  bind(calls.makeFolder, ({ cluster, body }, me) =>
    done(files.makeFolder(me, cluster, body.path), 'Folder created'),
  )
  bind(calls.rename, ({ cluster, body }, me) =>
    done(files.rename(me, cluster, body.from, body.to), 'Renamed'),
  )
  bind(calls.remove, ({ cluster, body }, me) =>
    done(files.remove(me, cluster, body.paths), messages.fileDeleted),
  )
  bind(calls.download, ({ cluster, query }, me) => files.download(me, cluster, query.path))
  bind(calls.uploaded, ({ cluster, query }, me) => files.uploaded(me, cluster, query.path))
  bind(calls.upload, ({ cluster, query, bytes }, me) => files.upload(me, cluster, query.path, bytes, query))
}
