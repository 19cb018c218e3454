//! Logs and metrics as an operator reads them.

use std::io::{Read, Write};
use std::net::TcpStream;
use std::sync::{Arc, Mutex};
use std::time::Duration;

use connectors::report;
use metrics::with_local_recorder;
use tokio::runtime::Runtime;
use tokio::sync::oneshot;
use tracing::subscriber::with_default;
use tracing_subscriber::layer::SubscriberExt;
use tracing_subscriber::{Layer, fmt};

use super::{
    AUDIT, AuditLines, METRICS, Metric, MetricsHandle, balance_drift, builder, certificate_expires,
    connection_refused, describe, differences, jobs_waiting, ledger_imbalance, left_alone,
    log_filter, mail_attempted, mails_waiting, notice, orders_waiting, payment_reached,
    payout_short, rate_limited, reconciled, reconciliation_lag, refund_ended, request_log_dropped,
    request_served, unmatched_payments, unsound_ledgers, unusable, webhook_delivered,
    withdrawal_ended,
};
use crate::platform::http::metrics::serve;

/// The rendered metrics after an action.
fn recorded(record: impl FnOnce()) -> MetricsHandle {
    let recorder = builder().unwrap().build_recorder();
    let handle = MetricsHandle(recorder.handle());
    with_local_recorder(&recorder, || {
        describe();
        record();
    });
    handle
}

fn lines(record: impl FnOnce()) -> Vec<String> {
    let text = recorded(record).render();
    let numbers = text.lines().filter(|line| !line.is_empty() && !line.starts_with('#'));
    numbers.map(str::to_owned).collect()
}

#[test]
fn every_metric_has_a_description() {
    let text = recorded(|| {
        request_served("GET", "/api/products", 200, 0.003);
        connection_refused();
        rate_limited("login");
        payment_reached("pix", "PAID");
        withdrawal_ended("COMPLETED");
        refund_ended("FAILED");
        orders_waiting("return", "production", 1, Duration::from_secs(7));
        unmatched_payments("production", 1);
        notice("efi-main", "received");
        reconciled("efi-main", "pix", "list", "new");
        payout_short("efi-main");
        balance_drift("efi-main", -7);
        unusable("efi-main", true);
        differences(1);
        report::count("efi-main", "issue_pix", "ok", 0.2);
        report::count_token("efi-main", "ok");
        left_alone("efi-main", true);
        reconciliation_lag("efi-main", "received_pix", Duration::from_secs(7));
        certificate_expires("efi-main", Duration::from_secs(7));
        webhook_delivered("delivered", 0.2);
        mail_attempted("sent");
        mails_waiting(3, Duration::from_secs(2));
        jobs_waiting("webhooks", 3, Duration::from_secs(2));
        ledger_imbalance(0);
        unsound_ledgers(0);
        request_log_dropped(1);
    })
    .render();
    for Metric(_, name, meaning) in METRICS {
        assert!(text.contains(&format!("# HELP {name} {meaning}\n")), "{name} in {text}");
        let number = text.lines().find(|line| line.starts_with(name));
        assert!(number.is_some(), "{name} in {text}");
    }
}

#[test]
fn every_number_stands_in_the_operators_book() {
    let book = include_str!("../../../../../docs/operating.md");
    for Metric(_, name, _) in METRICS {
        assert!(book.contains(&format!("| `{name}` | ")), "{name}");
    }
}

#[test]
fn a_request_is_counted_by_method_route_and_status_and_its_time_by_route() {
    let lines = lines(|| {
        request_served("POST", "/api/products/{id}", 201, 0.004);
        request_served("POST", "/api/products/{id}", 201, 3.0);
    });
    let labels = r#"method="POST",route="/api/products/{id}",status="201""#;
    assert!(lines.contains(&format!("http_requests_total{{{labels}}} 2")), "{lines:#?}");
    let bucket = |until: &str, count: u64| {
        let route = r#"route="/api/products/{id}""#;
        format!(r#"http_request_seconds_bucket{{{route},le="{until}"}} {count}"#)
    };
    for (until, count) in [("0.0025", 0), ("0.005", 1), ("2.5", 1), ("5", 2), ("+Inf", 2)] {
        assert!(lines.contains(&bucket(until, count)), "{until} in {lines:#?}");
    }
}

#[test]
fn methods_that_clients_make_up_share_one_label() {
    let lines = lines(|| {
        for method in ["FOO", "BAR", "get"] {
            request_served(method, "none", 405, 0.001);
        }
    });
    let counted: Vec<_> = lines.iter().filter(|line| line.contains("requests_total")).collect();
    assert_eq!(counted, [r#"http_requests_total{method="other",route="none",status="405"} 3"#]);
}

#[test]
fn metrics_may_be_recorded_without_a_recorder() {
    request_served("GET", "/", 200, 0.001);
    ledger_imbalance(1);
}

#[test]
fn the_listener_answers_get_metrics_and_nothing_else() {
    let handle = recorded(|| ledger_imbalance(-7));
    let runtime = Runtime::new().unwrap();
    let listener = runtime.block_on(tokio::net::TcpListener::bind("127.0.0.1:0")).unwrap();
    let address = listener.local_addr().unwrap();
    let (stop, stopped) = oneshot::channel::<()>();
    let served = runtime.spawn(serve(listener, handle, async {
        let _ = stopped.await;
    }));
    let ask = |line: &str| {
        let mut client = TcpStream::connect(address).unwrap();
        client.set_read_timeout(Some(Duration::from_secs(30))).unwrap();
        write!(client, "{line} HTTP/1.1\r\nhost: x\r\nconnection: close\r\n\r\n").unwrap();
        let mut answer = String::new();
        client.read_to_string(&mut answer).unwrap();
        answer
    };
    let metrics = ask("GET /metrics");
    assert!(metrics.starts_with("HTTP/1.1 200 "), "{metrics}");
    assert!(metrics.contains("text/plain; version=0.0.4"), "{metrics}");
    assert!(metrics.contains("\nledger_imbalance_cents -7\n"), "{metrics}");
    assert!(ask("GET /").starts_with("HTTP/1.1 404 "));
    assert!(ask("GET /metrics/x").starts_with("HTTP/1.1 404 "));
    assert!(ask("POST /metrics").starts_with("HTTP/1.1 405 "));
    stop.send(()).unwrap();
    runtime.block_on(served).unwrap();
}

/// The words that a filter lets through, of three lines.
fn written(filter: &str, audit: AuditLines) -> String {
    #[derive(Clone, Default)]
    struct Sink(Arc<Mutex<Vec<u8>>>);
    impl Write for Sink {
        fn write(&mut self, line: &[u8]) -> std::io::Result<usize> {
            self.0.lock().unwrap().extend(line);
            Ok(line.len())
        }
        fn flush(&mut self) -> std::io::Result<()> {
            Ok(())
        }
    }
    let sink = Sink::default();
    let writer = sink.clone();
    let lines = fmt::layer().without_time().with_ansi(false).with_level(false).with_target(false);
    let lines =
        lines.with_writer(move || writer.clone()).with_filter(log_filter(filter, audit).unwrap());
    with_default(tracing_subscriber::registry().with(lines), || {
        tracing::info!(target: AUDIT, "audited");
        tracing::info!(target: "tostao::http", "ours");
        tracing::info!(target: "hyper", "theirs");
    });
    let text = String::from_utf8(sink.0.lock().unwrap().clone()).unwrap();
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}

#[test]
fn what_is_audited_is_written_whatever_the_filter_is() {
    let table = [
        ("info", "audited ours theirs"),
        ("tostao=debug", "audited ours"),
        ("warn", "audited"),
        ("off", "audited"),
        ("audit=off", "audited"),
        ("info,", "audited ours theirs"),
        (" info, , hyper=off", "audited ours"),
    ];
    for (filter, expected) in table {
        assert_eq!(written(filter, AuditLines::Always), expected, "{filter}");
    }
    let wrong =
        ["tostao=loud", "tostao=", "tostao info", "[request]=debug", "tostao[request]=info"];
    for filter in wrong.into_iter().chain([
        "",
        " , ",
        "inf0",
        "tostao",
        "info,tostao",
        "info;hyper=off",
        "\"info\"",
    ]) {
        assert!(log_filter(filter, AuditLines::Always).is_err(), "{filter}");
    }
}

#[test]
fn a_demo_writes_what_is_audited_only_if_it_is_asked_for() {
    for (filter, expected) in [("warn", ""), ("audit=info", "audited")] {
        assert_eq!(written(filter, AuditLines::AsFiltered), expected, "{filter}");
    }
}
