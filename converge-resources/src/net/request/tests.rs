use std::sync::Arc;
use std::time::Duration;

use converge_core::laws;
use converge_core::testing::FakeRenderer;
use converge_core::testing::server::{Reply, Server, answer};
use converge_sdk::prelude::*;
use converge_sdk::system::{HttpReply, Method, ModelSystem, System};

use super::RequestPreparer;
use crate::testing::{Written, apply, context, local, plan, plan_pending, prepare, show};

const URL: &str = "https://api.test/pages/welcome";

fn map<const N: usize>(fields: [(&str, Value); N]) -> Value {
    Value::Map(fields.into_iter().map(|(name, value)| (name.to_owned(), value)).collect())
}

fn secret(text: &str) -> Value {
    Value::from(text).into_secret()
}

fn put(body: Value) -> Value {
    map([("method", "PUT".into()), ("body", body)])
}

/// Returns the fields, with a default URL.
fn written(extra: Written<'_>) -> Vec<(&'static str, Value)> {
    let mut fields = vec![("url", Value::from(URL))];
    for (name, value) in extra {
        fields.retain(|(have, _)| have != name);
        fields.push((name, value.clone()));
    }
    fields
}

/// Returns a host with a server that has no pages yet.
fn model() -> ModelSystem {
    server(None)
}

fn with_page(text: &'static str) -> ModelSystem {
    server(Some(text))
}

/// Returns a host with a server.
///
/// `PUT` creates its pages; `first` is a page that exists from the start. Some pages have a fixed, unusual
/// answer.
fn server(first: Option<&'static str>) -> ModelSystem {
    ModelSystem::new().with_flowing_time().with_service("https://api.test/", move |asked, machine| {
        let url = asked.url.to_string();
        let page = url.strip_prefix("https://api.test").unwrap_or_default();
        Some(match (&asked.method, page) {
            (_, "/denied") => HttpReply::new(403).with_body("not you"),
            (_, "/echo") => HttpReply::new(200).with_body(asked.header("authorization").unwrap_or("-")),
            (_, "/cookie") => {
                HttpReply::new(204).with_header("Set-Cookie", "sid=hunter2").with_header("X-A", "b")
            }
            (_, "/large") => HttpReply::new(200).with_body(vec![b'x'; 101]),
            (_, "/silent") => HttpReply::silent(),
            (_, "/away") => HttpReply::new(307).with_header("Location", "https://other.test/"),
            (Method::Get | Method::Head, _) => {
                match machine.fact(&url).or_else(|| first.filter(|_| url == URL)) {
                    Some(page) => HttpReply::new(200).with_body(page),
                    None => HttpReply::new(404).with_body("none"),
                }
            }
            (Method::Put, _) => {
                machine.put_fact(&url, String::from_utf8_lossy(&asked.body));
                HttpReply::new(201)
            }
            _ => HttpReply::new(405).with_body("no such method"),
        })
    })
}

#[tokio::test]
async fn what_a_plan_says() {
    let check = async |model: ModelSystem, more: Written<'_>, expect: &str| {
        let model = Arc::new(model);
        let system: Arc<dyn System> = model.clone();
        assert_eq!(plan::<RequestPreparer>(&system, &written(more)).await, expect, "{more:?}");
        assert_eq!(model.effects(), [], "a plan changes nothing");
        assert!(model.requests().iter().all(|call| call.method.is_safe()), "{:?}", model.requests());
    };
    let body_matches = |text: &str| ("check", map([("body_matches", text.into())]));
    let makes = ("apply", put("Hello".into()));
    // Any answer is accepted.
    check(model(), &[], "no change").await;
    let always = ("check", map([]));
    check(with_page("Hello"), std::slice::from_ref(&always), "no change").await;
    let nothing_is_done = "without `apply` nothing is done about it";
    let not_found =
        format!("error: {URL} answers 404 Not Found, and 200 to 299 is expected; {nothing_is_done}");
    let differs = "status: \"404\" => \"200 to 299\"";
    check(model(), std::slice::from_ref(&always), &format!("can't change\n{differs}\n{not_found}")).await;
    check(model(), &[always, makes.clone()], &format!("will change\n{differs}")).await;
    let statuses = Value::List(vec![200.into(), 404.into()]);
    check(model(), &[("check", map([("status", statuses)]))], "no change").await;
    check(with_page("Hello"), &[body_matches("^Hello$"), makes.clone()], "no change").await;
    let body = "body: \"5 bytes\" => \"has ^Hello$\"";
    check(with_page("Hallo"), &[body_matches("^Hello$"), makes.clone()], &format!("will change\n{body}"))
        .await;
    let unmatched =
        format!("error: {URL} answers 200, and `^Hello$` matches nothing in it; {nothing_is_done}");
    check(with_page("Hallo"), &[body_matches("^Hello$")], &format!("can't change\n{body}\n{unmatched}"))
        .await;
    let head = map([("method", "head".into())]);
    check(with_page("Hello"), &[("check", head)], "no change").await;
    let unreachable_fields = [("url", "https://nowhere.test/".into()), makes, body_matches("x")];
    let nowhere = "cannot ask https://nowhere.test/: there is no such host";
    check(model(), &unreachable_fields, &format!("error: {nowhere}")).await;
    let pending =
        plan_pending::<RequestPreparer>(&(Arc::new(model()) as _), &written(&unreachable_fields)).await;
    assert_eq!(pending, format!("may change\n# {nowhere}, yet"));
    let asks = written(&[("check", map([]))]);
    let pending = plan_pending::<RequestPreparer>(&(Arc::new(model()) as _), &asks).await;
    assert_eq!(pending, format!("may change\n{differs}"));
}

#[tokio::test]
async fn what_an_apply_makes() {
    let model = Arc::new(with_page("Hallo"));
    let system: Arc<dyn System> = model.clone();
    let fields =
        written(&[("check", map([("body_matches", "^Hello$".into())])), ("apply", put("Hello".into()))]);
    let output = apply::<RequestPreparer>(&system, &fields).await;
    assert_eq!(output, "will change\nbody: \"5 bytes\" => \"has ^Hello$\"");
    assert_eq!(model.machine().fact(URL), Some("Hello"));
    let methods: Vec<_> = model.requests().into_iter().map(|call| call.method.to_string()).collect();
    assert_eq!(methods, ["GET", "PUT", "GET"]);
    assert_eq!(plan::<RequestPreparer>(&system, &fields).await, "no change");
}

#[tokio::test]
async fn an_apply_that_does_not_work() {
    let check = async |more: Written<'_>, expect: &str, made: usize| {
        let model = Arc::new(model());
        let system: Arc<dyn System> = model.clone();
        let output =
            apply::<RequestPreparer>(&system, &written(&[&[("check", map([]))], more].concat())).await;
        assert_eq!(output, format!("will change\nstatus: \"404\" => \"200 to 299\"\nerror: {expect}"));
        let unsafe_calls = model.requests().iter().filter(|call| !call.method.is_safe()).count();
        assert_eq!(unsafe_calls, made, "nothing is made twice");
    };
    let refused = "is answered 405, and 200 to 299 is expected";
    check(&[("apply", map([]))], &format!("POST {URL} {refused}:\nno such method"), 1).await;
    let request_to = |page: &str| map([("url", format!("https://api.test/{page}").into())]);
    let denied =
        "POST https://api.test/denied is answered 403 Forbidden, and 200 to 299 is expected:\nnot you";
    check(&[("apply", request_to("denied"))], denied, 1).await;
    // The answer may repeat a secret.
    let token = ("auth", map([("token", secret("hunter2"))]));
    check(&[("apply", map([])), token], &format!("POST {URL} {refused}"), 1).await;
    let silent = "cannot ask https://api.test/silent: there was no complete answer within 30s";
    check(&[("apply", request_to("silent"))], silent, 1).await;
    let to_other = map([("url", "https://api.test/away".into()), ("body", "password".into())]);
    let elsewhere = "cannot ask https://api.test/away: it redirects to https://other.test/ with the body of the request, \
                     which is sent to no other server";
    check(&[("apply", to_other)], elsewhere, 1).await;
}

#[tokio::test]
async fn what_others_look_up() {
    let check = async |page: &str, more: Written<'_>, expect: &str| {
        let cx = context(Arc::new(with_page("Hello")), RunMode::Plan);
        let url = ("url", format!("https://api.test/{page}").into());
        let mut task = prepare::<RequestPreparer>(&cx, &written(&[&[url], more].concat())).await.unwrap();
        assert_eq!(show(&task.check(&cx, &FakeRenderer::new()).await), "no change");
        let exports = task.exports();
        let export_text = |name: &[&str]| exports.get(name).map(ToString::to_string).unwrap_or_default();
        let actual =
            format!("{} {} {}", export_text(&["status"]), export_text(&["body"]), export_text(&["headers"]));
        assert_eq!(actual, expect, "{page}");
    };
    check("pages/welcome", &[], r#"200 "Hello" {content-length = "5"}"#).await;
    check("denied", &[], r#"403 "not you" {content-length = "7"}"#).await;
    check("cookie", &[], r#"204 "" {set-cookie = (sensitive), x-a = "b", content-length = "0"}"#).await;
    let token = map([("token", secret("hunter2"))]);
    check("echo", &[], r#"200 "-" {content-length = "1"}"#).await;
    check("echo", &[("auth", token)], r#"200 (sensitive) {content-length = "14"}"#).await;
    let headers = ("headers", map([("Authorization", secret("hunter2"))]));
    check("echo", &[headers], r#"200 (sensitive) {content-length = "7"}"#).await;
}

#[tokio::test]
async fn fields_that_do_not_fit() {
    let check = async |more: Written<'_>, expect: &str| {
        let model = Arc::new(model());
        let output = plan::<RequestPreparer>(&(Arc::clone(&model) as _), &written(more)).await;
        assert!(output.starts_with(&format!("error: {expect}")) && !output.contains("hunter2"), "{output}");
        assert!(model.requests().is_empty(), "{more:?}");
    };
    check(
        &[("url", "/srv/file".into())],
        "url: it is not a URL of a server: it begins with http:// or https://",
    )
    .await;
    let unsafe_check = map([("method", "DELETE".into())]);
    check(
        &[("check", unsafe_check)],
        "check: a plan sends this request too, so it must not change anything, as DELETE may",
    )
    .await;
    check(&[("apply", map([]))], "apply: ").await;
    let pattern = map([("body_matches", "a(".into())]);
    check(&[("check", pattern)], "check.body_matches: \"a(\" is not a regular expression").await;
    check(&[("check", map([("status", 99.into())]))], "check.status").await;
    let foreign_url = map([("url", "https://other.test/".into())]);
    let check_and_apply = |apply: Value| [("check", map([])), ("apply", apply)];
    check(&check_and_apply(foreign_url), "apply: its URL is of another server than `url`").await;
    let over_https = "secrets are sent over https only";
    let over_http = |more: Written<'_>| [&[("url", "http://api.test/".into())], more].concat();
    check(&over_http(&check_and_apply(put(secret("hunter2")))), &format!("apply: {over_https}")).await;
    let headers = map([("headers", map([("X-Key", secret("hunter2"))]))]);
    check(&over_http(&check_and_apply(headers)), &format!("apply: {over_https}")).await;
    check(&over_http(&[("headers", map([("X-Key", secret("hunter2"))]))]), &format!("headers: {over_https}"))
        .await;
    check(&over_http(&[("auth", map([("token", secret("hunter2"))]))]), &format!("auth: {over_https}")).await;
    check(&[("url", secret("http://api.test/hunter2"))], &format!("url: {over_https}")).await;
}

/// Each of these servers would block a run for ever, or fill its memory.
#[tokio::test]
async fn servers_that_mean_harm() {
    let server = Server::new(|path, _| {
        let head = b"HTTP/1.1 200 OK\r\n";
        match path {
            "/endless" => Reply::Endless([&head[..], b"\r\n"].concat()),
            "/headers" => Reply::Endless([&head[..], b"X-A: "].concat()),
            "/drips" => {
                Reply::Drip([&head[..], b"Content-Length: 90000\r\n\r\n"].concat(), Duration::from_millis(5))
            }
            "/silent" => Reply::Stall(Vec::new()),
            _ => answer("404 Not Found", &[], b""),
        }
    });
    let check = async |path: &str, within: Duration, expect: &str| {
        let deadline = tokio::time::Instant::now() + within;
        let cx = context(local(), RunMode::Apply).with_deadline(deadline);
        let fields = written(&[("url", server.url(path).into()), ("max_size", 1000.into())]);
        let task = prepare::<RequestPreparer>(&cx, &fields).await.unwrap();
        // This call makes no retries.
        let result = task.asked(&cx).await.map(|_| ()).map_err(|error| error.to_string());
        assert!(result.as_ref().is_err_and(|text| text.contains(expect)), "{path}: {result:?}");
    };
    let (long, short) = (Duration::from_mins(1), Duration::from_millis(300));
    check("/endless", long, "it has more than 1000 bytes: `max_size` allows more").await;
    check("/headers", long, "cannot ask").await;
    check("/drips", short, "there was no complete answer within").await;
    check("/silent", short, "there was no complete answer within").await;
}

laws!(
    RequestPreparer,
    start = model,
    start = || with_page("Hallo"),
    values = ("url", [URL, "https://api.test/pages/other"]),
    values = ("check", [map([("body_matches", "^Hello$".into())])]),
    values = ("apply", [put("Hello".into())])
);
