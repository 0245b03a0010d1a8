import { AppInput, type App } from '@flotilla/contract/apps/apps'
import { Document } from 'yaml'
import { saveFile } from '../../api/download'
import { issueText } from '../../forms/issue-text'
import { readYamlFile, type ReadFile } from '../../forms/yaml/yaml-file'

/** An app as YAML, which can be imported on this or another site. */
export function yamlOf(app: AppInput): string {
  const document = new Document(AppInput.parse(app))
  document.commentBefore = ` An app of the console. Its script gets PORT, HOST, BASE_URL and TOKEN, and must listen on PORT.`
  return document.toString({ lineWidth: 0 })
}

export const readApp = (text: string): ReadFile<AppInput> =>
  readYamlFile(text, 'This is not an app. It needs fields such as name and script', (raw) =>
    AppInput.safeParse(raw, { error: issueText }),
  )

export const exportApp = (app: App): void =>
  saveFile(new Blob([yamlOf(app)], { type: 'application/yaml' }), `${app.name.replaceAll(' ', '-')}.yaml`)
