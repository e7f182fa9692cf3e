import { Check } from 'typebox/value'
import { describe, expect, it } from 'vitest'
import { plainDesign } from '../../../core/qr-design/design.js'
import { Refusal } from '../../../core/values/refusal.js'
import { answerV4 } from '../errors.js'
import { designFrom, presentDesign, RenderCustomizations } from './qr-design.js'

describe('render_customizations', () => {
  it('is the plain design when nothing is sent', () => {
    expect(designFrom({})).toEqual(plainDesign)
  })

  it('comes back as it was sent, in one spelling and with the defaults', () => {
    const sent = {
      background_color: '#FFF',
      dot_pattern_color: '#112233FF',
      dot_pattern_type: 'heart',
      corners: { corner_2: { inner_color: '#aB0000', outer_color: '#00000080', shape: 'leaf' } },
      gradient: {
        style: 'linear',
        angle: 45,
        colors: [{ color: '#000044', offset: 100 }, { color: '#440000' }],
        exclude_corners: true,
      },
      logo: { image_guid: 'Iabc' },
      frame: { id: 'text_top', colors: { primary: '#123456' }, text: { primary: 'Scan me' } },
      text: { top: { content: ' Hello ' } },
      branding: { shortlink_brand: true },
      spec_settings: { error_correction: 3 },
    }
    const shown = presentDesign(designFrom(sent))
    expect(Check(RenderCustomizations, shown)).toBe(true)
    expect(shown).toMatchObject({
      background_color: '#ffffff',
      dot_pattern_color: '#112233',
      dot_pattern_type: 'heart',
      corners: {
        corner_1: { shape: 'standard' },
        corner_2: { inner_color: '#ab0000', outer_color: '#00000080', shape: 'leaf' },
      },
      gradient: { style: 'linear', angle: 45, exclude_corners: true },
      background_gradient: { style: 'no_gradient' },
      logo: { image_guid: 'Iabc' },
      frame: { id: 'text_top', colors: { primary: '#123456' }, text: { primary: 'Scan me' } },
      text: { top: { content: 'Hello', color: '#ffffff' } },
      branding: { shortlink_brand: true },
      spec_settings: { error_correction: 3 },
    })
    expect(shown.gradient?.colors).toEqual([
      { color: '#440000', offset: 0 },
      { color: '#000044', offset: 100 },
    ])
    expect(designFrom(shown)).toEqual(designFrom(sent))
  })

  it.each([
    [{ background_color: 'white' }, 'background_color'],
    [{ dot_pattern_color: '#12345' }, 'dot_pattern_color'],
    [{ dot_pattern_type: 'squares' }, 'dot_pattern_type'],
    [{ corners: { corner_1: { shape: 'oval' } } }, 'corners.corner_1.shape'],
    [{ corners: { corner_3: { inner_color: '#xyz' } } }, 'corners.corner_3.inner_color'],
    [{ gradient: { style: 'conic' } }, 'gradient.style'],
    [{ gradient: { style: 'radial', colors: [{ color: '#000' }] } }, 'gradient.colors'],
    [{ background_gradient: { colors: [{ color: '#fff' }, { color: '#ff' }] } }, 'background_gradient.colors.1.color'],
    [{ background_gradient: { colors: [{ color: '#fff', offset: 101 }] } }, 'background_gradient.colors.0.offset'],
    [{ frame: { id: 'box' } }, 'frame.id'],
    [{ frame: { id: 'text_top', colors: { primary: 'red' } } }, 'frame.colors.primary'],
    [{ frame: { id: 'text_top', text: { secondary: 'x'.repeat(41) } } }, 'frame.text.secondary'],
    [{ text: { center: { content: ' ' } } }, 'text.center.content'],
    [{ text: { bottom: { content: 'Hi', color: '#1' } } }, 'text.bottom.color'],
    [{ spec_settings: { error_correction: 5 } }, 'spec_settings.error_correction'],
  ])('refuses %j with the path of the value', (sent, path) => {
    const { status, body } = answerV4(refusalOf(sent), '/v4/qr-codes')
    expect(status).toBe(400)
    expect(body).toMatchObject({
      message: 'INVALID_ARG_RENDER_CUSTOMIZATIONS',
      errors: [{ field: `render_customizations.${path}`, error_code: 'invalid' }],
    })
  })
})

function refusalOf(sent: Parameters<typeof designFrom>[0]): unknown {
  try {
    return designFrom(sent)
  } catch (error) {
    expect(error).toBeInstanceOf(Refusal)
    return error
  }
}
