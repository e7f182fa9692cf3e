/**
 * The files by which a domain tells phones which applications may open its links, so that they do it without asking us
 * at all: Android reads `assetlinks.json`, iOS `apple-app-site-association`. Both want JSON and follow no redirect.
 */
import type { MobileApp } from '../../core/mobile-apps/mobile-app.js'

/** The path as asked for, without its first slash; undefined when it is neither of the two. */
export function associationFile(path: string): AssociationFile | undefined {
  return files.get(path)
}

export type AssociationFile = (apps: readonly MobileApp[]) => object

const files: ReadonlyMap<string, AssociationFile> = new Map([
  ['.well-known/assetlinks.json', assetLinks],
  ['.well-known/apple-app-site-association', appSiteAssociation],
])

/** One statement for each package; applications without package or certificate are left out, they could prove nothing. */
function assetLinks(apps: readonly MobileApp[]): object {
  return apps.flatMap(({ association }) =>
    association.os === 'android' && association.packageName !== '' && association.fingerprints.length > 0
      ? [
          {
            relation: ['delegate_permission/common.handle_all_urls'],
            target: {
              namespace: 'android_app',
              package_name: association.packageName,
              sha256_cert_fingerprints: association.fingerprints,
            },
          },
        ]
      : [],
  )
}

/** In the form that iOS 9 to 12 read (`appID`, `paths`) and in the one since iOS 13 (`appIDs`, `components`) at once. */
function appSiteAssociation(apps: readonly MobileApp[]): object {
  const details = apps.flatMap(({ association }) =>
    association.os === 'ios' && association.appId !== ''
      ? [
          {
            appID: association.appId,
            appIDs: [association.appId],
            paths: association.paths,
            components: association.paths.map(componentOf),
          },
        ]
      : [],
  )
  return { applinks: { apps: [], details } }
}

function componentOf(path: string): object {
  return path.startsWith('NOT ') ? { '/': path.slice(4), exclude: true } : { '/': path }
}
