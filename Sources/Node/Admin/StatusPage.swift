import HTTP

/// A page that shows `/status.json` and asks for it again every two seconds. It needs nothing from anywhere else.
enum StatusPage {
  static let response = HTTPResponse(
    status: 200,
    fields: [
      "content-type": "text/html; charset=utf-8", "cache-control": "no-store", "x-content-type-options": "nosniff",
      "content-security-policy":
        "default-src 'none'; style-src 'unsafe-inline'; script-src 'unsafe-inline'; connect-src 'self'; img-src data:; frame-ancestors 'none'",
    ], body: Array(html.utf8))

  private static let html = """
    <!doctype html>
    <html lang="en">
    <head>
    <meta charset="utf-8">
    <meta name="viewport" content="width=device-width, initial-scale=1">
    <title>Ringhold</title>
    <link rel="icon" href="data:,">
    <style>\(style)</style>
    </head>
    <body>
    <header><h1>Ringhold</h1><span id="node"></span><span id="ready" class="badge"></span><span id="about"></span></header>
    <main>
    <section id="numbers" class="tiles"></section>
    <section><h2>Registrations</h2><div id="states"></div><div id="stateWords" class="legend"></div></section>
    <section id="cluster" hidden><h2>Cluster</h2><p id="redis"></p>
    <table><thead><tr><th>node<th>life<th>lease<th>accounts<th></tr></thead><tbody id="members"></tbody></table><p id="takeovers"></p></section>
    <section><h2>Rates <small id="span"></small></h2><div id="rates" class="tiles"></div></section>
    <p id="trouble" role="alert" hidden>The node does not answer. What is shown is what it said last.</p>
    </main>
    <script>\(script)</script>
    </body>
    </html>
    """

  private static let style = """
    :root { color-scheme: light dark; --line: light-dark(#dde1e6, #363b42); --quiet: light-dark(#5a6470, #9aa4b0);
      --paper: light-dark(#fff, #1b1e23); --good: #2a9d63; --wait: #3b82c4; --warn: #d08a1d; --bad: #cf4747; }
    body { font: 15px/1.45 system-ui, sans-serif; margin: 0; background: light-dark(#f5f6f8, #121417); color: light-dark(#16191d, #e8eaed); }
    header, main { max-width: 60rem; margin: auto; padding: 1rem 1.25rem 0; }
    header { display: flex; align-items: baseline; gap: .75rem; flex-wrap: wrap; }
    h1 { font-size: 1.3rem; margin: 0; } h2 { font-size: 1rem; margin: 0 0 .6rem; } small, #about, .legend, td:last-child { color: var(--quiet); }
    small { font-weight: normal; } #node { font-weight: 600; }
    section, #trouble { background: var(--paper); border: 1px solid var(--line); border-radius: .6rem; padding: .9rem 1.1rem; margin: 0 0 1rem; }
    .tiles { display: grid; grid-template-columns: repeat(auto-fit, minmax(15rem, 1fr)); gap: 1rem; }
    .big { font-size: 1.9rem; font-weight: 600; font-variant-numeric: tabular-nums; line-height: 1.2; }
    .badge { border-radius: 1rem; padding: .05rem .65rem; color: #fff; background: var(--good); font-size: .85rem; }
    .badge.bad { background: var(--bad); }
    #states { display: flex; height: .9rem; border-radius: .45rem; overflow: hidden; background: var(--line); }
    .legend { display: flex; flex-wrap: wrap; gap: .2rem 1.1rem; margin-top: .5rem; }
    .legend i { display: inline-block; width: .7rem; height: .7rem; border-radius: .2rem; margin-right: .35rem; }
    table { border-collapse: collapse; width: 100%; font-variant-numeric: tabular-nums; }
    th, td { text-align: left; padding: .3rem .8rem .3rem 0; border-bottom: 1px solid var(--line); } th { color: var(--quiet); font-weight: normal; }
    svg { display: block; width: 100%; height: 3rem; overflow: visible; } polyline { fill: none; stroke: var(--wait); stroke-width: 1.5; vector-effect: non-scaling-stroke; }
    polygon { fill: var(--wait); opacity: .15; } #trouble { border-color: var(--bad); color: var(--bad); } [hidden] { display: none; }
    """

  private static let script = """
    const colours = {registered: '--good', registering: '--wait', unreachable: '--warn', 'credentials-needed': '--bad', rejected: '--bad'};
    const at = id => document.getElementById(id);
    function put(parent, tag, text, name) {
      const made = parent.appendChild(document.createElement(tag));
      if (text !== undefined) made.textContent = text;
      if (name) made.className = name;
      return made;
    }
    function time(s) { return s < 60 ? s + ' s' : s < 3600 ? Math.floor(s / 60) + ' min' : s < 86400 ? Math.floor(s / 3600) + ' h ' + Math.floor(s / 60) % 60 + ' min' : Math.floor(s / 86400) + ' d ' + Math.floor(s / 3600) % 24 + ' h'; }
    function tile(parent, number, word) { const box = put(parent, 'div'); put(box, 'div', number, 'big'); put(box, 'div', word, 'legend'); return box; }
    function plot(box, counts) {
      const ns = 'http://www.w3.org/2000/svg', top = Math.max(1, ...counts), width = Math.max(1, counts.length - 1);
      const points = counts.map((n, i) => i + ',' + (100 - 96 * n / top)).join(' ');
      const svg = box.appendChild(document.createElementNS(ns, 'svg'));
      svg.setAttribute('viewBox', '0 0 ' + width + ' 100'); svg.setAttribute('preserveAspectRatio', 'none');
      svg.appendChild(document.createElementNS(ns, 'polygon')).setAttribute('points', '0,100 ' + points + ' ' + width + ',100');
      svg.appendChild(document.createElementNS(ns, 'polyline')).setAttribute('points', points);
    }
    function states(all) {
      at('states').replaceChildren(); at('stateWords').replaceChildren();
      for (const one of all.filter(s => s.accounts > 0)) {
        const colour = 'var(' + colours[one.state] + ')', part = put(at('states'), 'div');
        part.style.flex = one.accounts; part.style.background = colour;
        const word = put(at('stateWords'), 'span'); put(word, 'i').style.background = colour; word.append(one.state + ' ' + one.accounts);
      }
      if (!at('stateWords').childNodes.length) put(at('stateWords'), 'span', 'no account yet');
    }
    function cluster(c, self) {
      at('cluster').hidden = !c;
      if (!c) return;
      at('redis').textContent = (c.passive ? 'PASSIVE: this node holds no lease. ' : c.settling ? 'Settling: new calls wait for a moment. ' : '') + 'Redis ' + (c.redis.connected ? '' : 'NOT CONNECTED, ') + (c.redis.primary ? 'primary ' + c.redis.primary : 'no primary known') + (c.unowned ? '. Accounts that nobody owns: ' + c.unowned : '');
      at('members').replaceChildren();
      for (const m of c.members) {
        const row = put(at('members'), 'tr');
        for (const text of [m.name, m.incarnation, m.lease_ms + ' ms', m.accounts, m.name === self ? 'this node' : m.reachable ? '' : 'cannot be reached']) put(row, 'td', text);
      }
      at('takeovers').textContent = 'Taken over by this node: ' + c.takeovers.nodes + ' nodes, ' + c.takeovers.accounts + ' accounts, ' + c.takeovers.calls + ' calls.';
    }
    function rates(all, interval) {
      at('rates').replaceChildren();
      at('span').textContent = 'per second, last ' + time(Math.max(...all.map(r => r.counts.length)) * interval);
      for (const rate of all) {
        const recent = rate.counts.slice(-Math.max(1, Math.floor(10 / interval)));
        const now = recent.length ? recent.reduce((a, b) => a + b, 0) / (recent.length * interval) : 0;
        plot(tile(at('rates'), now.toFixed(1), rate.name + ', at most ' + (Math.max(0, ...rate.counts) / interval).toFixed(1)), rate.counts);
      }
    }
    function show(s) {
      document.title = s.node + ' · Ringhold';
      at('node').textContent = s.node;
      at('ready').textContent = s.ready ? 'ready' : 'not ready'; at('ready').className = s.ready ? 'badge' : 'badge bad';
      at('about').textContent = 'up ' + time(s.uptime_s) + ', version ' + s.version;
      at('numbers').replaceChildren();
      tile(at('numbers'), s.accounts, 'accounts'); tile(at('numbers'), s.held_calls, 'calls ringing'); tile(at('numbers'), s.answered_calls, 'calls answered');
      states(s.registrations); cluster(s.cluster, s.node); rates(s.rates, s.interval_s);
    }
    async function turn() {
      try {
        const answer = await fetch('status.json', {cache: 'no-store', signal: AbortSignal.timeout(4000)});
        if (!answer.ok) throw answer.status;
        show(await answer.json());
        at('trouble').hidden = true;
      } catch { at('trouble').hidden = false; }
      setTimeout(turn, 2000);
    }
    turn();
    """
}
