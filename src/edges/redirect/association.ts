/**
 * Files that tell phones which mobile apps may open the links of a domain: Android reads `assetlinks.json`, iOS
 * `apple-app-site-association`. Both require JSON and do not follow redirects.
 */
import type { MobileApp } from '../../core/mobile-apps/mobile-app-store.js'

/** The requested path without its first slash; undefined when it is neither file. */
export function associationFile(path: string): AssociationFile | undefined {
  return files.get(path)
}

export type AssociationFile = (apps: readonly MobileApp[]) => object

const files: ReadonlyMap<string, AssociationFile> = new Map([
  ['.well-known/assetlinks.json', assetLinks],
  ['.well-known/apple-app-site-association', appSiteAssociation],
])

/**
 * One statement per package; apps without a package or certificate are left out, because Android could not verify them.
 */
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

/** Contains both formats: `appID` and `paths` for iOS 9 to 12, `appIDs` and `components` since iOS 13. */
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
