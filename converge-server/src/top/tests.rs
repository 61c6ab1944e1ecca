//! Tests of the screen and the keys.

use crossterm::event::{KeyCode, KeyEvent, KeyModifiers};
use jiff::Timestamp;
use ratatui::Terminal;
use ratatui::backend::TestBackend;
use ratatui::style::Color;
use serde::Deserialize as _;
use serde_json::{Value, json};

use super::draw::draw;
use super::records::{Raw, Record};
use super::rows::View;
use super::screen_state::ScreenState;
use super::snapshot::{Change, Update};

const WIDE: (u16, u16) = (130, 20);
const USUAL: (u16, u16) = (80, 24);
const NARROW: (u16, u16) = (40, 20);

fn now() -> Timestamp {
    "2026-01-31T12:00:00Z".parse().unwrap()
}

fn id(kind: &str, name: &str) -> Value {
    let namespace = if ["Module", "Assignment", "Rollout"].contains(&kind) { "default" } else { "" };
    json!({"type": {"kind": kind}, "tenancy": {"partition": "default", "namespace": namespace}, "name": name})
}

fn told<T: Record>(board: &mut ScreenState, wrap: fn(Update<T>) -> Change, resources: &[Value]) {
    board.known.take(wrap(Update::Begun), now());
    for json in resources {
        let raw = Raw::deserialize(json).unwrap();
        board.known.take(wrap(Update::There(raw.id.key(), T::read(&raw))), now());
    }
    board.known.take(wrap(Update::Whole), now());
}

fn status(writer: &str, time: &str, conditions: &Value) -> Value {
    json!({writer: {"observed_generation": "1", "updated_at": time, "conditions": conditions}})
}

fn condition(name: &str, state: &str, message: &str) -> Value {
    json!({"type": name, "state": state, "message": message})
}

fn assignment(module: &str, node: &str, conditions: &[Value]) -> Value {
    json!({
        "id": id("Assignment", &format!("{node}-{module}")), "owner": id("Module", module), "generation": "1",
        "data": {"node": id("Node", node), "mode": "MODE_ENFORCE", "revision": {"name": "site-0a1b2c3d4e5f"}},
        "status": status("agent", "2026-01-31T11:58:00Z", &json!(conditions)),
    })
}

/// Creates a screen with a fleet whose texts are hostile.
fn board(view: View, size: (u16, u16)) -> ScreenState {
    let mut board = ScreenState::new("http://127.0.0.1:8500".to_owned(), view, size);
    let node = |name: &str, labels: Value, ready: Value| {
        json!({"id": id("Node", name), "metadata": labels,
            "status": status("nodes", "2026-01-31T11:00:00Z", &json!([ready]))})
    };
    let silent =
        json!({"type": "ready", "state": "false", "reason": "Silent", "message": "not heard of for 2m"});
    told(
        &mut board,
        Change::Nodes,
        &[
            node("web-1", json!({"role": "web"}), condition("ready", "true", "")),
            node("web-2", json!({"role": "\u{1b}[2J\u{9b}31mweb"}), silent),
            json!({"id": id("Node", "db-1"), "data": {"suspended": true}}),
            json!({"id": id("Node", "new")}),
        ],
    );
    let report = json!({"id": id("NodeReport", "web-1"), "data": {"version": "0.1.0", "facts": {"family": "debian"}},
        "status": status("agent", "2026-01-31T11:59:55Z", &json!([]))});
    told(&mut board, Change::Reports, &[report]);
    let applied = condition("applied", "true", "as it says");
    let drifted = condition("drifted", "true", "file.index has changed");
    let failed = [
        condition("applied", "false", "1 of 2 failed"),
        condition("failed", "true", "task.a: exit status 1"),
    ];
    told(
        &mut board,
        Change::Assignments,
        &[
            assignment("site", "web-1", &[applied.clone(), drifted]),
            assignment("base", "web-1", &failed),
            assignment("site", "web-2", &[applied]),
        ],
    );
    let module = json!({"id": id("Module", "site"), "data": {"mode": "MODE_ENFORCE", "nodes": "role=web"},
        "status": status("scheduler", "2026-01-31T11:00:00Z", &json!([
            condition("applied", "false", "1 of 2 nodes"), condition("rolled_out", "true", ""),
            condition("scheduled", "true", "2 nodes")]))});
    told(&mut board, Change::Modules, &[module]);
    let rollout = |number: u64, phase: &str, reason: &str, began: &str| {
        json!({"id": id("Rollout", &format!("site-{number}")), "owner": id("Module", "site"),
            "data": {"number": number.to_string(), "phase": phase, "reason": reason, "began": began,
                "to": {"name": "site-0a1b2c3d4e5f"}}})
    };
    told(
        &mut board,
        Change::Rollouts,
        &[
            rollout(1, "PHASE_FAILED", "web-2 failed, and no more may", "2026-01-30T12:00:00Z"),
            rollout(2, "PHASE_RUNNING", "", "2026-01-31T11:55:00Z"),
        ],
    );
    let event = json!({"id": id("Event", "e"), "data": {"about": id("Node", "web-2"), "reason": "Silent",
        "severity": "SEVERITY_WARNING", "message": "web-2 is silent", "last": "2026-01-31T11:30:00Z", "times": "3"}});
    told(&mut board, Change::Events, &[event]);
    board
}

/// Adds the plans and the history of a node.
fn looked_at(board: &mut ScreenState) {
    let diff = "@@ -1 +1 @@\n-old \u{1b}]0;x\u{7}\n+new\n";
    let plan = json!({"module": id("Module", "site"), "revision": {"name": "site-0a1b2c3d4e5f"},
    "outcome": "RUN_OUTCOME_DIFFERS", "began": "2026-01-31T11:50:00Z", "summary": "1 to change",
    "resources": [
        {"name": "file.index", "outcome": "RESOURCE_OUTCOME_WILL_CHANGE",
            "changes": [{"name": "content", "diff": diff}, {"name": "mode", "before": "0600", "after": "0644"}]},
        {"name": "task.a", "outcome": "RESOURCE_OUTCOME_FAILED", "error": "exit status 1\nno such file"},
    ]});
    told(board, Change::Plans, &[json!({"id": id("NodePlans", "web-1"), "data": {"plans": [plan]}})]);
    let run = json!({"module": id("Module", "site"), "outcome": "RUN_OUTCOME_FAILED", "last": "2026-01-31T11:50:00Z",
        "times": "2", "summary": "1 failed", "errors": ["task.a: exit status 1"]});
    told(board, Change::History, &[json!({"id": id("NodeHistory", "web-1"), "data": {"runs": [run]}})]);
}

fn press(board: &mut ScreenState, keys: &[KeyCode]) {
    for key in keys {
        assert!(board.press(KeyEvent::from(*key), now()), "{key:?}");
    }
}

fn type_in(board: &mut ScreenState, text: &str) {
    for letter in text.chars() {
        press(board, &[KeyCode::Char(letter)]);
    }
}

fn screen(board: &ScreenState, (width, height): (u16, u16), colours: bool) -> Terminal<TestBackend> {
    let mut terminal = Terminal::new(TestBackend::new(width, height)).unwrap();
    terminal.draw(|frame| draw(frame, board, now(), colours)).unwrap();
    terminal
}

/// Returns the lines of the screen without trailing spaces.
fn seen(board: &ScreenState, size: (u16, u16)) -> String {
    let terminal = screen(board, size, true);
    let buffer = terminal.backend().buffer();
    let lines = buffer.content.chunks(size.0.into()).map(|line| {
        let text: String = line.iter().map(ratatui::buffer::Cell::symbol).collect();
        format!("{}\n", text.trim_end())
    });
    let text: String = lines.collect();
    assert!(!text.chars().any(|letter| letter.is_control() && letter != '\n'), "{text:?}");
    text
}

#[test]
fn what_is_on_screens_of_different_widths() {
    for (name, size) in [("wide", WIDE), ("usual", USUAL), ("narrow", NARROW)] {
        let screens = View::ALL.map(|view| seen(&board(view, size), size)).concat();
        insta::assert_snapshot!(name, screens);
    }
}

#[test]
fn what_is_said_of_one_node() {
    for (name, size) in [("node_usual", (80, 45)), ("node_narrow", (40, 60))] {
        let mut board = board(View::Nodes, size);
        looked_at(&mut board);
        type_in(&mut board, "jj");
        press(&mut board, &[KeyCode::Enter]);
        assert_eq!(board.node(), Some("default//web-1"));
        insta::assert_snapshot!(name, seen(&board, size));
    }
}

#[test]
fn other_things_that_are_on_the_screen() {
    let mut help = board(View::Nodes, USUAL);
    type_in(&mut help, "?");
    insta::assert_snapshot!("help", seen(&help, USUAL));
    let mut module = board(View::Modules, USUAL);
    press(&mut module, &[KeyCode::Enter]);
    insta::assert_snapshot!("module", seen(&module, USUAL));
    // The running rollout is first. One node has not got its revision yet.
    let mut rollout = board(View::Rollouts, USUAL);
    let mut old = assignment("site", "web-10", &[]);
    old["data"]["revision"]["name"] = json!("site-ffffffffffff");
    rollout.known.take(
        Change::Assignments(Update::There("old".to_owned(), Record::read(&Raw::deserialize(&old).unwrap()))),
        now(),
    );
    press(&mut rollout, &[KeyCode::Enter]);
    insta::assert_snapshot!("rollout", seen(&rollout, USUAL));
    let mut disconnected = board(View::Nodes, USUAL);
    let time = "2026-01-31T11:57:03Z".parse().unwrap();
    disconnected.known.take(Change::Reports(Update::Away("no route".to_owned())), time);
    // The time of the first failure counts.
    disconnected.known.take(Change::Reports(Update::Away("it does not answer".to_owned())), now());
    let first = seen(&disconnected, USUAL).lines().next().unwrap().to_owned();
    assert_eq!(first, "server away since 11:57:03 UTC (2 min): it does not answer");
    // Known resources stay while the server sends a new snapshot.
    disconnected.known.take(Change::Nodes(Update::Begun), now());
    assert!(seen(&disconnected, USUAL).contains("web-1"));
    disconnected.known.take(Change::Nodes(Update::Whole), now());
    assert!(!seen(&disconnected, USUAL).contains("web-1"));
}

#[test]
fn a_screen_of_any_size_is_drawn() {
    for view in View::ALL {
        for width in 1..60 {
            for height in [1, 2, 3, 5, 9] {
                let mut board = board(view, (width, height));
                seen(&board, (width, height));
                press(&mut board, &[KeyCode::Enter, KeyCode::End]);
                seen(&board, (width, height));
            }
        }
    }
}

#[test]
fn without_colours_there_are_none() {
    for (colours, expect) in [(true, true), (false, false)] {
        let terminal = screen(&board(View::Nodes, USUAL), USUAL, colours);
        let mut cells = terminal.backend().buffer().content.iter();
        assert_eq!(cells.any(|cell| cell.fg != Color::Reset), expect);
    }
}

/// Returns the key of the selected row.
fn chosen(board: &ScreenState) -> Option<String> {
    let rows = board.rows(now());
    board.selected(&rows).map(|index| rows[index].key.trim_start_matches("default//").to_owned())
}

#[test]
fn keys_choose_a_line() {
    use KeyCode::{Char, Down, End, Home, PageDown, PageUp, Up};
    let check = |keys: &[KeyCode], expect: &str| {
        let mut board = board(View::Nodes, USUAL);
        press(&mut board, keys);
        assert_eq!(chosen(&board).as_deref(), Some(expect), "{keys:?}");
    };
    check(&[], "db-1");
    check(&[Up], "db-1");
    check(&[Down], "new");
    check(&[Char('j'), Char('j')], "web-1");
    check(&[Down, Down, Down, Down, Down, Char('k')], "web-1");
    check(&[End], "web-2");
    check(&[End, Home], "db-1");
    check(&[PageDown], "web-2");
    check(&[PageDown, PageUp], "db-1");
}

#[test]
fn keys_choose_a_view() {
    use KeyCode::{BackTab, Char, Enter, Esc, Tab};
    let check = |keys: &[KeyCode], expect: View| {
        let mut board = board(View::Nodes, USUAL);
        press(&mut board, keys);
        assert_eq!((board.view, &board.open), (expect, &None), "{keys:?}");
    };
    check(&[Tab], View::Modules);
    check(&[Tab, Tab, Tab, Tab], View::Nodes);
    check(&[BackTab], View::Events);
    check(&[Char('3')], View::Rollouts);
    check(&[Enter, Char('4')], View::Events);
    check(&[Enter, Esc], View::Nodes);
    check(&[Char('?'), Char('3')], View::Nodes);
}

#[test]
fn a_chosen_line_stays_chosen_where_others_come_and_go() {
    let mut board = board(View::Nodes, USUAL);
    type_in(&mut board, "jj");
    told(&mut board, Change::Nodes, &[json!({"id": id("Node", "aaa")}), json!({"id": id("Node", "web-1")})]);
    assert_eq!(chosen(&board).as_deref(), Some("web-1"));
    // The row that takes the place of a deleted one becomes selected.
    board.known.take(Change::Nodes(Update::Gone("default//web-1".to_owned())), now());
    assert_eq!(chosen(&board).as_deref(), Some("aaa"));
    board.known.take(Change::Nodes(Update::Gone("default//aaa".to_owned())), now());
    assert_eq!(chosen(&board), None);
    press(&mut board, &[KeyCode::Down, KeyCode::Enter]);
    assert_eq!(board.open, None);
}

#[test]
fn a_filter_is_written_and_kept() {
    let names = |board: &ScreenState| {
        board.rows(now()).into_iter().map(|row| row.cells[0].text.clone()).collect::<Vec<_>>()
    };
    let mut board = board(View::Nodes, USUAL);
    type_in(&mut board, "/WEB q");
    // While the filter is edited, letters are not commands.
    assert_eq!(names(&board), [""; 0]);
    press(&mut board, &[KeyCode::Backspace]);
    assert_eq!(names(&board), ["web-1", "web-2"]);
    press(&mut board, &[KeyCode::Enter]);
    type_in(&mut board, "j");
    assert_eq!(chosen(&board).as_deref(), Some("web-2"));
    type_in(&mut board, "/x");
    press(&mut board, &[KeyCode::Esc]);
    assert_eq!(names(&board).len(), 4);
}

#[test]
fn one_node_is_scrolled_as_far_as_there_is_something() {
    let mut board = board(View::Nodes, NARROW);
    looked_at(&mut board);
    type_in(&mut board, "jj");
    press(&mut board, &[KeyCode::Enter, KeyCode::End, KeyCode::End]);
    let end = board.detail(now());
    assert_eq!(end.len(), board.height());
    press(&mut board, &[KeyCode::Up]);
    assert_eq!(board.detail(now())[1..], end[..end.len() - 1]);
}

#[test]
fn what_ends_it() {
    let mut board = board(View::Nodes, USUAL);
    let control = |letter| KeyEvent::new(KeyCode::Char(letter), KeyModifiers::CONTROL);
    assert!(!board.press(KeyEvent::from(KeyCode::Char('q')), now()));
    type_in(&mut board, "/");
    assert!(!board.press(control('c'), now()));
    assert!(board.press(KeyEvent::from(KeyCode::Char('q')), now()));
}

#[test]
fn what_is_kept_of_a_text_has_an_end() {
    let mut board = board(View::Modules, USUAL);
    let long = "x".repeat(100_000);
    let module = json!({"id": id("Module", "m"), "data": {"nodes": long, "content": {"text": long}}});
    told(&mut board, Change::Modules, &[module]);
    assert!(format!("{:?}", board.known.modules).len() < 2_000);
}

#[test]
fn lines_are_in_the_order_in_which_people_look_for_names() {
    let mut board = ScreenState::new("http://127.0.0.1:8500".to_owned(), View::Nodes, (80, 24));
    let names = ["node10", "node2", "node1", "node-1"];
    told(&mut board, Change::Nodes, &names.map(|name| json!({ "id": id("Node", name) })));
    told(&mut board, Change::Modules, &names.map(|name| json!({ "id": id("Module", name) })));
    for view in [View::Nodes, View::Modules] {
        let titles: Vec<_> =
            view.rows(&board.known, now()).into_iter().map(|row| row.cells[0].text.clone()).collect();
        assert_eq!(titles, ["node1", "node2", "node10", "node-1"]);
    }
}
