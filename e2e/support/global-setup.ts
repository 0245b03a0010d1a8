import { prepareDataDir } from './server'

export default prepareDataDir
