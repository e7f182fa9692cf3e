/**
 * The style of a page: variables from its appearance, then the rules of what is on it. One inline sheet, which the policy
 * of the page allows by its hash. Logical properties, so that a page reads from right to left as well.
 */
import type { Colors, Look } from './look.js'

const base = `*{box-sizing:border-box}
html{-webkit-text-size-adjust:100%;text-size-adjust:100%;background:var(--bg2)}
body{margin:0;min-height:100vh;min-height:100dvh;display:flex;flex-direction:column;align-items:center;font:400 1rem/1.5 var(--font);color:var(--ink);background:linear-gradient(var(--bg),var(--bg2));overflow-wrap:anywhere;-webkit-font-smoothing:antialiased}
main{width:100%;max-width:calc(var(--w) + 2.5rem);flex:1;padding:0 1.25rem 2.5rem}
h1,h2,p,ul,figure{margin:0;padding:0}ul{list-style:none}img{display:block;max-width:100%}
a{color:inherit}:focus-visible{outline:3px solid var(--ink);outline-offset:3px}
.i{flex:none;width:1.5rem;height:1.5rem;fill:none;stroke:currentColor;stroke-width:1.7;stroke-linecap:round;stroke-linejoin:round}span.i{display:grid;place-items:center;font-weight:700;line-height:1}
header{display:grid;gap:1.125rem;padding-top:3.5rem}
.tx{display:grid;gap:.375rem}
h1{font-size:var(--h1);font-weight:var(--h1w);line-height:1.2;letter-spacing:-.015em;text-wrap:balance}
.tx p{font-size:var(--p);font-weight:var(--pw);white-space:pre-line;text-wrap:pretty}.tx p,.hp{color:var(--soft)}
.av{width:var(--av);height:var(--av);justify-self:var(--avp);border-radius:var(--avr);border:var(--avb) solid var(--btn);object-fit:cover}
span.av{display:grid;place-items:center;background:var(--btn);color:var(--btnk);font-size:calc(var(--av)*.42);font-weight:600;line-height:1;box-shadow:var(--lift)}
.bl{display:grid;gap:.875rem;margin-top:2rem}.bl>li{min-width:0}
.b,.c{border:1px solid var(--edge);background:var(--btn);color:var(--btnk);box-shadow:var(--sh);text-decoration:none}
.b{display:grid;align-items:center;min-height:3.75rem;padding:.5rem 1.25rem;border-radius:var(--r);text-align:center}
.p{grid-template-columns:2.75rem 1fr 2.75rem;gap:.75rem;padding:.5rem}.p>.i{justify-self:center}
.b>img,.b>.cr{width:2.75rem;height:2.75rem;object-fit:cover;border-radius:var(--rt)}
.il{background:none;border-color:currentColor;color:inherit;box-shadow:none}
b{display:block;font-weight:600;line-height:1.35;text-wrap:balance}small{display:block;margin-top:.125rem;font-size:.875rem;line-height:1.4;white-space:pre-line}
.c{display:block;overflow:hidden;border-radius:var(--rc)}.w{display:block;padding:.875rem 1.25rem 1rem}
.c>img{width:100%;height:auto;aspect-ratio:16/9;object-fit:cover}
.made{padding:0 1.25rem 2rem;font-size:.8125rem;color:var(--soft);display:flex;align-items:center;justify-content:center;gap:.375rem}.made .i{width:1.125rem;height:1.125rem}
@media(min-width:48rem){main{padding-bottom:4rem}header{padding-top:5rem}}
@media(prefers-reduced-motion:no-preference){.b,a.c,.so a{transition:transform .18s ease,box-shadow .18s ease}.b:hover,a.c:hover{transform:translateY(-2px)}.so a:hover{transform:scale(1.12)}.b:active,a.c:active{transform:none}}`

const arcs =
  'radial-gradient(circle at 8% 135%,var(--t2) 42%,#0000 42.4%),radial-gradient(circle at 92% -25%,var(--t1) 40%,#0000 40.4%)'
const rings = 'repeating-radial-gradient(circle at 50% 125%,#0000 0 1.5rem,var(--t1) 1.53rem 3rem,#0000 3.03rem)'
const glow =
  'radial-gradient(circle at 15% 10%,var(--t2),#0000 55%),radial-gradient(circle at 85% 30%,var(--t1),#0000 50%)'
const stripes = 'repeating-linear-gradient(135deg,#0000 0 1rem,var(--t1) 1.03rem 2rem,#0000 2.03rem)'
const dots = 'radial-gradient(var(--t2) 1.5px,#0000 2px) 0 0/1rem 1rem'

/** After all others: black on white, without what is only drawn, and with the URL of each button. */
const print = `@media print{:root{color-scheme:light!important}*{color:#000!important;background:none!important;box-shadow:none!important}main{max-width:none}.made,.sv,.bgi,.ph,span.av:not(.cr),.ban>:not(.tx){display:none!important}.ban.ban{height:auto;min-height:0;margin:0;padding:0;border:0;outline:0;overflow:visible;-webkit-mask:none;mask:none}.av.av{margin:0}.tx.tx{padding:0}.b,.c{border-color:#000;break-inside:avoid;text-align:start}.b.b{grid-template-columns:1fr}.p.p{grid-template-columns:2.75rem 1fr}.ca ul{flex-wrap:wrap;width:auto}[data-url]::after{content:attr(data-url);display:block;font-size:.75rem}.p::after{grid-column:2}.c .w{padding-bottom:0}.c[data-url]::after{padding:0 1.25rem 1rem}.gr .c::after{padding-inline:.875rem}}`

/** Rules that only some pages need, in the order in which later ones win. */
const parts = {
  aligned: `.tl{text-align:start}.tc{text-align:center}.tr{text-align:end}.tj{text-align:justify}`,
  ruled: `.ub{padding-bottom:.75rem;border-bottom:1px solid}.ua{padding-top:.75rem;border-top:1px solid}`,
  cropped: `.cr{display:block;position:relative;overflow:hidden}.cr img{position:absolute;max-width:none;object-fit:cover}.cr.av.av{display:block;background:none;box-shadow:none}.bgi>.cr{width:100%;height:100%}.fit>.cr img{object-fit:contain}`,
  social: `.so ul{display:flex;flex-wrap:wrap;justify-content:center;gap:.25rem}.so a{display:grid;place-items:center;width:2.75rem;height:2.75rem;border-radius:50%;color:var(--icon)}.top{margin-top:1.125rem}.bottom{margin-top:2.25rem}.v{position:absolute;width:1px;height:1px;overflow:hidden;clip-path:inset(50%);white-space:nowrap}`,
  filledSocial: `.so ul{gap:.625rem}.so a{border:1px solid var(--edge);background:var(--btn);color:var(--btnk);box-shadow:var(--sh)}`,
  text: `.te{padding:.375rem 0;white-space:pre-line}.te.bg{padding:1rem 1.25rem;border-radius:var(--rc)}.s1{font-size:.875rem}.s3{font-size:1.25rem;line-height:1.4}.s4{font-size:1.625rem;line-height:1.25}.sb{font-weight:700}.si{font-style:italic}.su{text-decoration:underline;text-underline-offset:.2em}`,
  video: `.vi{display:grid;place-items:center;aspect-ratio:16/9;overflow:hidden;background:radial-gradient(circle at 20% 0,#656d92,#2a2f47 55%,#141724);color:#fff}.vi>*{grid-area:1/1}.vi .i{position:relative;width:4rem;height:4rem;padding:1.125rem;border-radius:50%;background:#000a;fill:#fff}.vi>img,.vi>.cr{width:100%;height:100%;object-fit:cover}`,
  figure: `figure>img,figure a>img{width:100%;height:auto}figure img,figure .cr{border-radius:var(--rc)}figure .cr img{border-radius:0}figure a{display:block;border-radius:var(--rc);text-decoration:none}figcaption{padding:.5rem .25rem 0;text-align:center}`,
  group: `.h{margin-top:1rem;font-size:1.125rem;line-height:1.3;font-weight:600;text-align:center}.hp{text-align:center;font-size:.9375rem}.h+*,.hp+*{margin-top:.75rem}`,
  grid: `.gr{display:grid;grid-template-columns:repeat(2,minmax(0,1fr));gap:.875rem}.gr>li{display:grid}.gr .b{grid-template-columns:1fr;align-content:center;justify-items:center;padding:.875rem .75rem}.gr .c>img,.gr figure img{aspect-ratio:var(--ar,1);object-fit:cover}.gr .w{padding:.75rem .875rem .875rem}@media(min-width:48rem){.gr{grid-template-columns:repeat(auto-fit,minmax(12rem,1fr))}}`,
  carousel: `.ca{margin-inline:-1.25rem;overflow-x:auto;scroll-snap-type:x mandatory;scroll-padding-inline:1.25rem;scrollbar-width:thin;scrollbar-color:var(--soft) #0000}.ca:focus-visible{outline-offset:-3px}.ca ul{display:flex;gap:.875rem;width:max-content;min-width:100%;padding:.25rem 1.25rem 1rem}.ca li{flex:none;width:min(17rem,74vw);scroll-snap-align:start;display:grid}.ca .b{grid-template-columns:1fr;align-content:center;justify-items:center;padding:1rem}.ca .c>img,.ca figure img{aspect-ratio:var(--ar,4/3);object-fit:cover}`,
  person: `.pe{padding:1.25rem}.who{display:flex;align-items:center;gap:1rem}.who>img,.who>.cr{flex:none;width:4.5rem;height:4.5rem;border-radius:50%;object-fit:cover}.pe h2{font-size:1.25rem;line-height:1.3}.pe p{font-size:.9375rem}.pe ul,.who+p{margin-top:.875rem}.pe li>*{display:flex;align-items:center;gap:.875rem;min-height:3rem;padding:.25rem 0;text-decoration:none}.pe li a>span>span{text-decoration:underline;text-underline-offset:.2em}.pe li .i{width:1.25rem;height:1.25rem}.pe li small{margin:0;font-size:.8125rem}.pe li span span{display:block;white-space:pre-line}.sv{display:flex;align-items:center;justify-content:center;gap:.5rem;min-height:2.75rem;margin-top:1rem;padding:.5rem 1rem;border:2px solid;border-radius:var(--r);font-weight:600;text-decoration:none}.sv .i{width:1.25rem;height:1.25rem}`,
  inlinePerson: `.in{padding:0;border:0;border-radius:0;background:none;color:inherit;box-shadow:none}`,
  banner: `.ban{height:12rem;margin:-3.5rem -1.25rem 0;background:var(--hd);color:var(--hdk);overflow:hidden}.ban>img,.ban>.cr{width:100%;height:100%;object-fit:cover}.fit>img{object-fit:contain}.ban.flat{height:9.5rem;background:${arcs},var(--hd)}@media(min-width:48rem){.ban{height:15rem;margin:-3rem 0 0;border-radius:1.5rem}}`,
  rounded_up: `.ban{border-radius:0 0 50% 50%/0 0 2.5rem 2.5rem}@media(min-width:48rem){.ban{border-radius:1.5rem 1.5rem 50% 50%/1.5rem 1.5rem 3rem 3rem}}.ban.flat{background:${rings},var(--hd)}`,
  gradient: `.ban{background:linear-gradient(var(--hd) 30%,#0000)}.ban>img,.ban>.cr{-webkit-mask-image:linear-gradient(#000 40%,#0000);mask-image:linear-gradient(#000 40%,#0000)}.ban.flat{height:10rem;background:${glow},var(--hd);-webkit-mask-image:linear-gradient(#000 30%,#0000);mask-image:linear-gradient(#000 30%,#0000)}`,
  square: `.ban{margin:-2.25rem 0 0;border-radius:0}.ban.flat{background:${stripes},var(--hd)}`,
  frame: `.ban{margin:-2.25rem 0 0;border-radius:1.5rem;padding:.625rem}.ban>img,.ban>.cr{border-radius:1rem}.ban.flat{background:${dots},var(--hd);border:.625rem solid var(--hd);outline:2px solid var(--t1);outline-offset:-.75rem}`,
  start: `.st .so ul{justify-content:start}.st .so:not(.fi){margin-inline:-.625rem}.st .h,.st .hp,.st figcaption{text-align:start}@media screen{.st .bl>li>.b{grid-template-columns:1fr auto;gap:.75rem;text-align:start}.st .bl>li>.p{grid-template-columns:2.75rem 1fr auto;padding-inline-end:1.25rem}.st .bl>li>.b::after{content:"\\2192"/"";font-size:1.25em;line-height:1}[dir=rtl] .st .bl>li>.b::after{content:"\\2190"/""}}`,
  tile: `.ph{display:block;aspect-ratio:var(--ar,16/9);background:${arcs},var(--hd)}.gr .ph{aspect-ratio:var(--ar,1)}.ca .ph{aspect-ratio:var(--ar,4/3)}li li:nth-child(4n+2) .ph{background:${rings},var(--hd)}li li:nth-child(4n+3) .ph{background:${stripes},var(--hd)}li li:nth-child(4n) .ph{background:${glow},var(--hd)}`,
  contained: `.ban.ban{display:grid;height:auto;min-height:12rem}.ban>*{grid-area:1/1}.ban>img,.ban>.cr{height:0;min-height:100%}.ban .tx{position:relative;align-self:end;padding:1rem 1.25rem;background:var(--hd)}.ban .tx p{color:inherit}`,
  over: `.ban .tx{padding-bottom:calc(var(--av)/2 + .5rem)}.ban+.av{margin-top:calc(var(--av)/-2 - 1.125rem);position:relative;border-color:var(--bg)}`,
  picture: `.bgi{position:fixed;inset:0;z-index:-1}body{background:none;padding:0 .625rem}main{flex:none;margin-top:5rem;border-radius:1.75rem;background:var(--veil);-webkit-backdrop-filter:blur(.75rem);backdrop-filter:blur(.75rem)}header{padding-top:2.5rem}.made{margin:auto 0 1rem;padding:.375rem .875rem;border-radius:1rem;background:var(--veil)}.ca{margin-inline:-1.25rem}`,
}

export type StylePart = keyof typeof parts

/** `own`: rules of single blocks, whose values were checked. */
export function styleOf(look: Look, used: ReadonlySet<StylePart>, own: readonly string[]): string {
  const { colors, darkColors, measures } = look
  const dark =
    darkColors && `@media(prefers-color-scheme:dark){:root{color-scheme:dark;${variables(colorsAs(darkColors))}}}`
  const chosen = Object.keys(parts).filter((part): part is StylePart => used.has(part as StylePart))
  return [
    `:root{color-scheme:${look.scheme};${variables(colorsAs(colors))}${variables(measures)}}`,
    dark ?? '',
    base,
    ...chosen.map((part) => parts[part]),
    ...own,
    print,
  ].join('\n')
}

function colorsAs(colors: Colors): Readonly<Record<string, string>> {
  return {
    bg: colors.background,
    bg2: colors.bottom,
    ink: colors.text,
    soft: colors.description,
    btn: colors.button,
    btnk: colors.buttonText,
    icon: colors.icon,
    hd: colors.header,
    hdk: colors.headerText,
    t1: colors.tint,
    t2: colors.deepTint,
    sh: colors.shadow,
    edge: colors.edge,
    veil: colors.veil,
  }
}

function variables(values: Readonly<Record<string, string>>): string {
  return Object.entries(values)
    .map(([name, value]) => `--${name}:${value};`)
    .join('')
}
