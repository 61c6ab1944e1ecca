use converge_core::graph::Graph;

pub(crate) trait Draw {
    fn to_dot(&self) -> String {
        String::new()
    }
    fn to_mermaid(&self) -> String {
        String::new()
    }
}
impl Draw for Graph {}
