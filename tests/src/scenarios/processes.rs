//! Scenarios of programs.
//!
//! Those of the model are scripts with the same output.

use converge_core::system::{
    Command, Exit, KeepOutput, LeftOut, ModelSystem, Output, OutputLines, SystemError,
};

use super::transcript::Place;

/// Returns shell scripts with their outputs.
fn programs() -> [(&'static str, Output); 4] {
    [
        ("printf 'one\\ntwo'", Output::success("one\ntwo")),
        ("echo no >&2; exit 3", Output::failure(3, "no\n")),
        (
            "kill -9 $$",
            Output { exit: Exit::Signal(9), stdout: vec![], stderr: vec![], left_out: LeftOut::default() },
        ),
        ("head -c 17000000 /dev/zero", Output::success(vec![0; 17_000_000])),
    ]
}

pub(super) fn model(model: ModelSystem) -> ModelSystem {
    programs()
        .into_iter()
        .fold(model, |model, (script, output)| model.with_query(["sh", "-c", script], output))
}

fn shell(script: &str) -> Command {
    Command::new("sh").args(["-c", script])
}

fn shown(output: Result<Output, SystemError>) -> String {
    match output {
        Ok(Output { exit, stdout, stderr, left_out }) => {
            let text = |bytes: &[u8]| String::from_utf8_lossy(&bytes[..bytes.len().min(20)]).into_owned();
            format!("{exit:?} {:?} {:?} {}", text(&stdout), text(&stderr), left_out.stdout)
        }
        Err(error) => error.kind.to_string(),
    }
}

pub(super) async fn tell(place: &mut Place<'_>) {
    let processes = place.system.processes();
    let [prints, fails, dies, floods] = programs().map(|(script, _)| script);
    let run = async |command: Command| shown(processes.run(command).await);
    let rows = [
        ("a program prints", run(shell(prints)).await, "Code(0) \"one\\ntwo\" \"\" 0"),
        ("a program fails", run(shell(fails)).await, "Code(3) \"\" \"no\\n\" 0"),
        ("a program dies", run(shell(dies)).await, "Signal(9) \"\" \"\" 0"),
        ("a program prints too much", run(shell(floods)).await, "it printed more than 16777216 bytes"),
        ("a program that is not there", run(Command::new("converge-has-no-such")).await, "it does not exist"),
    ];
    for (story, answer, expect) in rows {
        place.add(story, answer, expect);
    }
    let mut flood_command = shell(floods);
    flood_command.keep = KeepOutput::Ends;
    let left_out = processes.run(flood_command).await.map(|output| output.left_out.stdout);
    place.done("the ends of too much", left_out, "14902848");
    let mut lines = OutputLines::new(processes, shell(prints), 2);
    let mut transcript = Vec::new();
    while let Some(line) = lines.next().await {
        transcript.push(format!("{}+{}", line.text(), line.left_out));
    }
    place.add("the lines of a program", transcript.join(" "), "on+1 tw+1");
    let ended = shown(lines.output().await);
    place.add("and its end", ended, "Code(0) \"one\\ntwo\" \"\" 0");
}
