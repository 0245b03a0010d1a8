import type { AppInput } from '@flotilla/contract/apps/apps'
import { YamlImportDialog } from '../../forms/yaml/yaml-import-dialog'
import { readApp } from './app-yaml'

export default function ImportApp(props: { onRead: (app: AppInput) => void; onClose: () => void }) {
  return (
    <YamlImportDialog
      noun="app"
      title="Import an app"
      example={'name: My notebook\nscript: |\n  exec my-notebook --port "$PORT"'}
      parse={readApp}
      {...props}
    />
  )
}
