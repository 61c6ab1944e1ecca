//! The progress of a pull.
//!
//! Only work done counts as progress, not messages: the engine keeps counting down while a registry does not
//! answer.

use bollard::models::{CreateImageInfo, ProgressDetail};
use indexmap::IndexMap;

/// The engine's status of a layer before a retry at the registry. It is no progress.
const RETRYING: &str = "Retrying";

/// The messages of the engine about a pull so far.
#[derive(Debug, Default)]
pub(super) struct Progress {
    layers: IndexMap<String, Layer>,
    /// The id of the layer in the last message.
    last: Option<String>,
    /// Messages about no particular layer, in order.
    messages: Vec<String>,
}

#[derive(Debug, Default)]
struct Layer {
    /// The current stage of the layer: `Downloading`.
    status: String,
    /// The largest number of bytes ever done in this stage.
    furthest: i64,
    total: Option<i64>,
    /// The number of bytes downloaded. `size` is the number of bytes to download.
    downloaded: u64,
    size: Option<u64>,
}

/// The meaning of one message of the engine.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum ProgressChange {
    /// A layer has entered another stage.
    Step,
    /// A layer has come further in its stage.
    Further,
    Nothing,
}

impl Progress {
    /// Records one message of the engine.
    pub(super) fn note(&mut self, info: CreateImageInfo) -> ProgressChange {
        let Some(status) = info.status else { return ProgressChange::Nothing };
        let Some(id) = info.id else {
            self.messages.push(status);
            return ProgressChange::Step;
        };
        let detail = info.progress_detail.unwrap_or_default();
        self.last = Some(id.clone());
        let layer = self.layers.entry(id).or_default();
        if layer.status == status {
            let change = layer.advance(&detail);
            layer.update_download();
            return change;
        }
        if status.starts_with(RETRYING) {
            return ProgressChange::Nothing;
        }
        // A layer that is retried starts again, and has to come further than before to count as progress.
        let is_retry = layer.status.starts_with(RETRYING);
        let Layer { downloaded, size, .. } = *layer;
        let furthest = if is_retry { layer.furthest } else { 0 };
        *layer = Layer { status, furthest, total: None, downloaded, size };
        let _ = layer.advance(&detail);
        layer.update_download();
        ProgressChange::Step
    }

    /// Returns the bytes downloaded of all layers, and their total.
    ///
    /// The total is `None` until the engine has started on each layer.
    pub(super) fn downloaded(&self) -> (u64, Option<u64>) {
        let layers = || self.layers.values().filter(|layer| !layer.is_there());
        let bytes = layers().map(|layer| layer.downloaded).sum();
        (bytes, layers().map(|layer| layer.size).sum())
    }

    /// Returns the messages about the pull as a whole: the digest, and whether there was anything to do.
    pub(super) fn into_messages(self) -> Vec<String> {
        // The first line names the tag, which the name of the resource also shows.
        self.messages.into_iter().filter(|line| !line.starts_with("Pulling from")).collect()
    }

    /// Describes the position of the pull: the layer of the last message.
    pub(super) fn position(&self) -> String {
        match self.last.as_ref().and_then(|id| Some((id, self.layers.get(id)?))) {
            Some((id, layer)) => format!("layer {id}: {}", layer.shown()),
            None => match self.messages.last() {
                Some(line) => line.clone(),
                None => "the registry had not answered".to_owned(),
            },
        }
    }
}

impl Layer {
    /// Whether the engine has the layer already.
    fn is_there(&self) -> bool {
        self.status == "Already exists"
    }

    /// Updates the number of bytes downloaded. The engine counts bytes of later stages as well.
    fn update_download(&mut self) {
        let unsigned = |bytes: i64| u64::try_from(bytes).unwrap_or_default();
        if self.status == "Downloading" {
            self.downloaded = self.downloaded.max(unsigned(self.furthest));
            self.size = self.total.map(unsigned).or(self.size);
        } else if matches!(
            self.status.as_str(),
            "Verifying Checksum" | "Download complete" | "Extracting" | "Pull complete"
        ) {
            self.downloaded = self.size.unwrap_or(self.downloaded);
            self.size = Some(self.downloaded);
        }
    }

    fn advance(&mut self, detail: &ProgressDetail) -> ProgressChange {
        self.total = detail.total.filter(|total| *total > 0).or(self.total);
        match detail.current {
            Some(current) if current > self.furthest => {
                self.furthest = current;
                ProgressChange::Further
            }
            _ => ProgressChange::Nothing,
        }
    }

    fn shown(&self) -> String {
        match (self.furthest, self.total) {
            (0, None) => self.status.clone(),
            (done, None) => format!("{}, {}", self.status, size(done)),
            (done, Some(total)) => format!("{}, {} of {}", self.status, size(done), size(total)),
        }
    }
}

fn size(bytes: i64) -> String {
    let mut tenths = bytes.saturating_mul(10);
    for unit in ["B", "kB", "MB", "GB"] {
        if tenths < 10_000 {
            let integer = tenths / 10;
            return if unit == "B" {
                format!("{integer} B")
            } else {
                format!("{integer}.{} {unit}", tenths % 10)
            };
        }
        tenths /= 1000;
    }
    format!("{} TB", tenths / 10)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn line(id: &str, status: &str, current: i64, total: i64) -> CreateImageInfo {
        CreateImageInfo {
            id: (!id.is_empty()).then(|| id.to_owned()),
            status: Some(status.to_owned()),
            progress_detail: (current > 0)
                .then_some(ProgressDetail { current: Some(current), total: (total > 0).then_some(total) }),
            ..CreateImageInfo::default()
        }
    }

    #[test]
    fn a_pull() {
        let mut progress = Progress::default();
        let mut check = |told: CreateImageInfo, news: ProgressChange, place: &str| {
            assert_eq!(progress.note(told.clone()), news, "{told:?}");
            assert_eq!(progress.position(), place);
        };
        check(CreateImageInfo::default(), ProgressChange::Nothing, "the registry had not answered");
        check(line("", "Pulling from app", 0, 0), ProgressChange::Step, "Pulling from app");
        check(line("a1", "Pulling fs layer", 0, 0), ProgressChange::Step, "layer a1: Pulling fs layer");
        check(
            line("a1", "Downloading", 900, 2_500_000),
            ProgressChange::Step,
            "layer a1: Downloading, 900 B of 2.5 MB",
        );
        let expect = "layer a1: Downloading, 1.2 MB of 2.5 MB";
        check(line("a1", "Downloading", 1_200_000, 2_500_000), ProgressChange::Further, expect);
        check(line("a1", "Downloading", 1_200_000, 2_500_000), ProgressChange::Nothing, expect);
        check(line("b2", "Waiting", 0, 0), ProgressChange::Step, "layer b2: Waiting");
        check(line("b2", "Waiting", 0, 0), ProgressChange::Nothing, "layer b2: Waiting");
        check(line("", "Digest: sha256:12", 0, 0), ProgressChange::Step, "layer b2: Waiting");
        assert_eq!(progress.into_messages(), ["Digest: sha256:12"]);
    }

    #[test]
    fn what_is_downloaded_of_all_layers() {
        let mut progress = Progress::default();
        let mut check = |told: CreateImageInfo, expect: (u64, Option<u64>)| {
            progress.note(told.clone());
            assert_eq!(progress.downloaded(), expect, "{told:?}");
        };
        check(line("", "Pulling from app", 0, 0), (0, Some(0)));
        check(line("a1", "Pulling fs layer", 0, 0), (0, None));
        check(line("b2", "Already exists", 0, 0), (0, None));
        check(line("c3", "Waiting", 0, 0), (0, None));
        check(line("a1", "Downloading", 500, 900), (500, None));
        check(line("c3", "Downloading", 10, 100), (510, Some(1_000)));
        check(line("a1", "Retrying in 1 second", 0, 0), (510, Some(1_000)));
        check(line("a1", "Downloading", 100, 900), (510, Some(1_000)));
        check(line("a1", "Download complete", 0, 0), (910, Some(1_000)));
        check(line("a1", "Extracting", 7, 70_000), (910, Some(1_000)));
        check(line("c3", "Verifying Checksum", 0, 0), (1_000, Some(1_000)));
        check(line("a1", "Pull complete", 0, 0), (1_000, Some(1_000)));
    }

    #[test]
    fn trying_again_is_no_progress() {
        let mut progress = Progress::default();
        let mut check = |told: CreateImageInfo, news: ProgressChange| {
            assert_eq!(progress.note(told.clone()), news, "{told:?}");
        };
        check(line("a1", "Downloading", 500, 900), ProgressChange::Step);
        check(line("a1", "Retrying in 5 seconds", 0, 0), ProgressChange::Nothing);
        check(line("a1", "Retrying in 4 seconds", 0, 0), ProgressChange::Nothing);
        check(line("a1", "Downloading", 100, 900), ProgressChange::Nothing);
        check(line("a1", "Downloading", 500, 900), ProgressChange::Nothing);
        check(line("a1", "Downloading", 600, 900), ProgressChange::Further);
    }

    #[test]
    fn sizes() {
        let check = |bytes: i64, expect: &str| assert_eq!(size(bytes), expect);
        check(0, "0 B");
        check(999, "999 B");
        check(1000, "1.0 kB");
        check(1_250_000, "1.2 MB");
        check(3_000_000_000, "3.0 GB");
        check(7_000_000_000_000, "7 TB");
        check(i64::MAX, "922337 TB");
    }
}
