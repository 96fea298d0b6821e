import Foundation
import Testing

/// What a browser finds wrong with how a page looks: at the width of a screen and of a telephone, by light and in the dark.
enum PageJudge {
  static let widths = [1400, 390]

  /// Returns a line for each fault, and none for a page that is as it should be.
  static func faults(of page: String, in tool: Tool) async throws -> [String] {
    let frames = try tool.write(script.replacingOccurrences(of: "PAGE", with: page), to: "judge.html")
    var faults: [String] = []
    for (scheme, number) in [("light", 1), ("dark", 0)] {
      let judged = try await Browser.page(
        at: URL(fileURLWithPath: frames).absoluteString,
        options: [
          "--allow-file-access-from-files", "--virtual-time-budget=10000", "--window-size=1500,900",
          "--blink-settings=preferredColorScheme=\(number)",
        ],
        in: tool.folder
      )
      let lines = judged.dom.matches(of: /<li class="fault">([^<]*)<\/li>/).map { String($0.output.1) }
      let judgements = judged.dom.matches(of: /<li class="judged">([^<]*)<\/li>/).map { String($0.output.1) }
      try #require(judgements == widths.map { "\($0) \(scheme)" }, "\(judged.dom.suffix(500))")
      faults += lines.map { "\(scheme), \($0)" }
    }
    return faults
  }

  private static let script = """
    <!DOCTYPE html><meta charset="utf-8"><meta name="color-scheme" content="light dark"><body><ul></ul><script>
    const say = (kind, text) => {
      const item = document.createElement('li');
      item.className = kind;
      item.textContent = text;
      document.querySelector('ul').append(item);
    };
    // Contrast as https://www.w3.org/TR/WCAG22/#dfn-contrast-ratio says.
    const channels = (color) => color.match(/[\\d.]+/g).map(Number);
    const luminance = (color) => {
      const [r, g, b] = channels(color).slice(0, 3).map((c) => c / 255)
        .map((c) => c <= 0.04045 ? c / 12.92 : ((c + 0.055) / 1.055) ** 2.4);
      return 0.2126 * r + 0.7152 * g + 0.0722 * b;
    };
    const background = (element, view) => {
      for (let at = element; at; at = at.parentElement) {
        const color = view.getComputedStyle(at).backgroundColor;
        if ((channels(color)[3] ?? 1) === 1) return color;
      }
      return 'rgb(255, 255, 255)';
    };
    const judge = (frame, width) => {
      const [page, view] = [frame.contentDocument, frame.contentWindow];
      const root = page.documentElement;
      if (root.scrollWidth > root.clientWidth) say('fault', `${width}: the page is ${root.scrollWidth} wide`);
      for (const element of page.querySelectorAll('body *')) {
        const style = view.getComputedStyle(element);
        const name = `${width}: ${element.tagName.toLowerCase()}.${element.className.baseVal ?? element.className}`;
        const isCut = element.scrollWidth > element.clientWidth + 1 && style.overflowX !== 'visible';
        if (isCut && (style.overflowX === 'hidden' || width === 390)) say('fault', `${name} is cut`);
        if (style.overflowX === 'auto' && isCut && element.tabIndex < 0) say('fault', `${name} has no focus to scroll`);
        if (element.matches('input, select, button, textarea') && !element.labels?.length && !element.ariaLabel)
          say('fault', `${name} has no label`);
        if (element.matches('a[href^="#"]') && /^#[a-z]+$/.test(element.getAttribute('href'))
          && !page.getElementById(element.getAttribute('href').slice(1))) say('fault', `${name} leads nowhere`);
        if (element.matches('svg') && !element.closest('[aria-hidden]') && !element.getAttribute('aria-label'))
          say('fault', `${name} has no name`);
        const hasText = [...element.childNodes].some((node) => node.nodeType === 3 && node.data.trim());
        if (!hasText || style.visibility === 'hidden' || !element.getClientRects().length
          || element.closest('script, style, title, svg')) continue;
        const [one, other] = [luminance(style.color), luminance(background(element, view))];
        const ratio = (Math.max(one, other) + 0.05) / (Math.min(one, other) + 0.05);
        if (ratio < 4.5) say('fault', `${name} has a contrast of ${ratio.toFixed(2)}`);
      }
      const scheme = view.matchMedia('(prefers-color-scheme: dark)').matches ? 'dark' : 'light';
      say('judged', `${width} ${scheme}`);
    };
    const next = ([width, ...rest]) => {
      const frame = document.createElement('iframe');
      frame.style.cssText = `width:${width}px;height:800px;border:0`;
      frame.src = 'PAGE';
      frame.onload = () => { judge(frame, width); if (rest.length) next(rest); };
      document.body.append(frame);
    };
    next([1400, 390]);
    </script>
    """
}
