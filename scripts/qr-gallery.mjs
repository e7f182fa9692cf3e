// Shows every style of QR codes on one page, and takes the picture of it that the docs show (needs Chromium).
//   npm run qr:gallery            writes docs/images/qr-gallery.png
//   npm run qr:gallery -- PAGE    writes the page alone, to look at it in a browser
import { execFileSync } from 'node:child_process'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { fileURLToPath, pathToFileURL } from 'node:url'
import { readArguments } from './arguments.mjs'

const [pageFile] = readArguments('npm run qr:gallery [-- PAGE]', { allowPositionals: true }).positionals

const root = dirname(dirname(fileURLToPath(import.meta.url)))
const built = (path) => import(pathToFileURL(join(root, 'dist-modules', path)))
const { cornerShapes, dotPatterns, frameIds, readDesign } = await built('core/qr-design/design.js')
const { drawQrCode } = await built('core/qr-design/draw.js')
const { requireScannable } = await built('core/qr-design/scannable.js')
const { toSvg } = await built('core/qr-design/svg.js')

const content = 'https://sho.rt/spring?r=qr'
const corners = (corner) => ({ corner_1: corner, corner_2: corner, corner_3: corner })
const two = (from, to) => [
  { color: from, offset: 0 },
  { color: to, offset: 100 },
]
// A cup, so that there is a logo to show.
const logo = {
  mimeType: 'image/svg+xml',
  bytes: Buffer.from(
    '<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 24 24"><circle cx="12" cy="12" r="12" fill="#0f766e"/><path d="M6.5 9h9v4.5a3.5 3.5 0 0 1-3.5 3.5h-2a3.5 3.5 0 0 1-3.5-3.5z" fill="#fff"/><path d="M15.5 10.2h1.2a1.8 1.8 0 0 1 0 3.6h-1.2" fill="none" stroke="#fff" stroke-width="1.3"/><path d="M9 4.6c-.8.9.8 1.5 0 2.6M12.4 4.6c-.8.9.8 1.5 0 2.6" fill="none" stroke="#fff" stroke-width="1" stroke-linecap="round"/></svg>',
  ),
}
const logoDesign = { logo: { imageGuid: 'Icup' } }

const sections = [
  ['dot_pattern_type', dotPatterns.map((type) => [type, { dotPatternType: type, dotPatternColor: '#0f172a' }])],
  [
    'corners',
    cornerShapes.map((shape) => [
      shape,
      {
        dotPatternType: 'rounded',
        dotPatternColor: '#1e293b',
        corners: corners({ shape, innerColor: '#be123c', outerColor: '#1e3a8a' }),
      },
    ]),
  ],
  [
    'frame',
    frameIds.map((id, index) => [
      id,
      {
        frame: { id, text: id === 'instagram' ? { primary: '@sho.rt' } : {} },
        dotPatternType: 'rounded',
        dotPatternColor: ['#0f172a', '#1e3a8a', '#14532d', '#7c2d12', '#581c87', '#0f766e'][index % 6],
        corners: corners({ shape: 'rounded' }),
      },
    ]),
  ],
  [
    'gradient, background_gradient',
    [
      [
        'linear',
        { gradient: { style: 'linear', angle: 45, colors: two('#1d4ed8', '#be185d') }, dotPatternType: 'blob' },
      ],
      ['radial', { gradient: { style: 'radial', colors: two('#c2410c', '#4c1d95') }, dotPatternType: 'circle' }],
      [
        'exclude_corners',
        {
          gradient: { style: 'linear', angle: 90, colors: two('#0e7490', '#312e81'), excludeCorners: true },
          dotPatternColor: '#111827',
          dotPatternType: 'vertical',
          corners: corners({ shape: 'extra_round' }),
        },
      ],
      [
        'ground, linear',
        {
          backgroundGradient: { style: 'linear', angle: 135, colors: two('#fef9c3', '#bae6fd') },
          dotPatternColor: '#1e1b4b',
          dotPatternType: 'diamond',
        },
      ],
      [
        'ground, radial',
        {
          backgroundGradient: { style: 'radial', colors: two('#ffffff', '#fbcfe8') },
          dotPatternColor: '#831843',
          dotPatternType: 'heart',
          corners: corners({ shape: 'leaf' }),
        },
      ],
      [
        'both, with a frame',
        {
          gradient: { style: 'linear', angle: 60, colors: two('#047857', '#1e3a8a') },
          backgroundGradient: { style: 'linear', angle: 60, colors: two('#ecfdf5', '#eff6ff') },
          frame: { id: 'text_bottom_in_frame' },
          dotPatternType: 'rounded',
          corners: corners({ shape: 'target' }),
        },
      ],
    ],
  ],
  [
    'logo, text, branding',
    [
      [
        'logo',
        {
          ...logoDesign,
          dotPatternColor: '#134e4a',
          dotPatternType: 'rounded',
          corners: corners({ shape: 'rounded' }),
        },
      ],
      [
        'logo, url frame',
        {
          ...logoDesign,
          dotPatternColor: '#134e4a',
          dotPatternType: 'circle',
          corners: corners({ shape: 'target' }),
          frame: { id: 'url' },
        },
      ],
      [
        'text.center',
        {
          text: { center: { content: 'MENU' } },
          dotPatternColor: '#7f1d1d',
          dotPatternType: 'blob',
          corners: corners({ shape: 'extra_round' }),
        },
      ],
      [
        'text.top, text.bottom',
        { text: { top: { content: 'Spring sale' }, bottom: { content: 'Until May 31' } }, dotPatternColor: '#365314' },
      ],
      [
        'dark text',
        {
          text: { top: { content: 'Καλημέρα', color: '#111827' }, center: { content: 'Wi-Fi', color: '#111827' } },
          dotPatternType: 'horizontal',
        },
      ],
      [
        'shortlink_brand',
        {
          branding: { shortlinkBrand: true },
          dotPatternType: 'star',
          dotPatternColor: '#1e3a8a',
          corners: corners({ shape: 'concave' }),
        },
      ],
    ],
  ],
]

const cells = (styles) =>
  styles
    .map(([name, input]) => {
      const design = readDesign(input)
      requireScannable(content, design)
      return `<figure><div>${uniqueIds(toSvg(drawQrCode(content, design, { logo })))}</div><figcaption>${name}</figcaption></figure>`
    })
    .join('')

/** Gradients of pictures on one page must not share their names. */
let pictures = 0
function uniqueIds(svg) {
  const prefix = `p${pictures++}`
  return svg.replaceAll('id="g', `id="${prefix}g`).replaceAll('url(#g', `url(#${prefix}g`)
}

const page = `<!doctype html><meta charset="utf-8"><title>QR codes</title><style>
body{margin:0;padding:28px 32px 16px;background:#f1f5f9;font:500 13px/1.3 system-ui,sans-serif;color:#334155;width:1136px}
h2{font-size:15px;margin:22px 0 10px}h2:first-child{margin-top:0}
section{display:grid;grid-template-columns:repeat(6,1fr);gap:14px}
figure{margin:0;background:#fff;border-radius:12px;padding:12px 12px 9px;text-align:center;box-shadow:0 1px 2px #0f172a1a}
figure div{height:176px;display:flex;align-items:center;justify-content:center}
svg{max-width:100%;max-height:100%;width:100%;height:100%}
figcaption{margin-top:7px;font-size:12px}
</style>${sections.map(([title, styles]) => `<h2>${title}</h2><section>${cells(styles)}</section>`).join('')}`

if (pageFile) writeFileSync(pageFile, page)
else takePicture(join(root, 'docs', 'images', 'qr-gallery.png'))

function takePicture(file) {
  const folder = mkdtempSync(join(tmpdir(), 'qr-gallery-'))
  const html = join(folder, 'page.html')
  writeFileSync(html, page)
  const flags = [
    '--headless',
    '--no-sandbox',
    '--disable-gpu',
    '--hide-scrollbars',
    `--user-data-dir=${folder}/profile`,
  ]
  execFileSync('chromium', [...flags, '--window-size=1200,2160', `--screenshot=${file}`, pathToFileURL(html).href], {
    stdio: ['ignore', 'ignore', 'inherit'],
  })
  rmSync(folder, { recursive: true, force: true })
}
