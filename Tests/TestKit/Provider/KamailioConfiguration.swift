/// A registrar with digest and a proxy that rings what is registered, in Kamailio's language. What a user's name begins with:
///
/// | begins with | is treated so |
/// | --- | --- |
/// | `fleeting` | is granted 8 s, whatever he asks for |
/// | `direct` | is called at his Contact, over a new connection, not over the one that he registered by |
/// | `strict` | his requests inside a dialog are challenged |
/// | `barred` | 403 to each REGISTER |
/// | `later` | 503 with Retry-After to each REGISTER |
struct KamailioConfiguration {
  let address: String
  let domain: String
  let folder: String
  let algorithm: String

  var text: String { globals + modules + routes }

  /// We prove who we are, and want the server that we call to do the same.
  var tls: String {
    """
    [server:default]
    method = TLSv1.2+
    certificate = \(folder)/provider.pem
    private_key = \(folder)/provider.key
    verify_certificate = no
    [client:default]
    method = TLSv1.2+
    ca_list = \(folder)/ca.pem
    verify_certificate = yes
    require_certificate = yes

    """
  }

  private var globals: String {
    """
    #!KAMAILIO
    log_stderror = yes
    debug = 1
    fork = yes
    children = 1
    tcp_children = 1
    auto_aliases = no
    enable_tls = yes
    tcp_connection_lifetime = 600
    listen = udp:\(address):5060
    listen = tcp:\(address):5060
    listen = tls:\(address):5061
    alias = "\(domain)"

    """
  }

  private static let moduleNames = [
    "kex", "corex", "ctl", "tm", "sl", "rr", "pv", "maxfwd", "textops", "textopsx", "siputils", "usrloc", "registrar", "nathelper", "auth",
    "tls",
  ]

  private var modules: String {
    Self.moduleNames.map { "loadmodule \"\($0).so\"\n" }.joined() + """
      modparam("ctl", "binrpc", "unix:\(folder)/ctl")
      modparam("tls", "config", "\(folder)/tls.cfg")
      modparam("usrloc", "db_mode", 0)
      modparam("usrloc", "timer_interval", 1)
      modparam("registrar|nathelper", "received_avp", "$avp(source)")
      modparam("registrar", "min_expires", 1)
      modparam("registrar", "max_expires", 3600)
      modparam("registrar", "use_path", 1)
      modparam("auth", "qop", "auth")
      modparam("auth", "algorithm", "\(algorithm)")
      modparam("tm", "fr_timer", 5000)
      modparam("tm", "fr_inv_timer", 60000)

      """
  }

  private var routes: String {
    #"""
    request_route {
      if (!mf_process_maxfwd_header("20")) { sl_send_reply("483", "Too Many Hops"); exit; }
      if (is_method("CANCEL")) { if (t_check_trans()) { t_relay(); } exit; }
      if (has_totag()) { route(DIALOG); exit; }
      if (is_method("ACK")) { if (t_check_trans()) { t_relay(); } exit; }
      if (is_method("REGISTER")) { route(REGISTER); exit; }
      if (is_method("INVITE")) { route(CALL); exit; }
      if (is_method("OPTIONS")) { sl_send_reply("200", "Here"); exit; }
      sl_send_reply("405", "Method Not Allowed");
    }

    route[DIALOG] {
      if (!loose_route()) {
        if (is_method("ACK")) { if (t_check_trans()) { t_relay(); } exit; }
        sl_send_reply("404", "No Route Here");
        exit;
      }
      if ($fU =~ "^strict" && is_method("BYE|INFO|UPDATE|INVITE")) {
        if (!pv_proxy_authenticate("@DOMAIN@", "only-$au-knows", "0")) { proxy_challenge("@DOMAIN@", "1"); exit; }
        consume_credentials();
      }
      t_relay();
    }

    route[REGISTER] {
      if ($tU =~ "^barred") { sl_send_reply("403", "Not You"); exit; }
      if ($tU =~ "^later") { append_to_reply("Retry-After: 7\r\n"); sl_send_reply("503", "Not Now"); exit; }
      if (!pv_www_authenticate("@DOMAIN@", "only-$au-knows", "0")) { www_challenge("@DOMAIN@", "1"); exit; }
      if ($au != $tU) { sl_send_reply("403", "Not Yours"); exit; }
      if ($tU =~ "^fleeting") {
        subst('/^(Contact:.*;expires=)[1-9][0-9]*/\18/i');
        subst('/^(Expires: *)[1-9][0-9]*/\18/i');
        msg_apply_changes();
      }
      if (!($tU =~ "^direct")) { fix_nated_register(); }
      save("location");
    }

    route[CALL] {
      record_route();
      if (!lookup("location")) { sl_send_reply("480", "Not Registered"); exit; }
      t_relay();
    }

    """#.replacing("@DOMAIN@", with: domain)
  }
}
