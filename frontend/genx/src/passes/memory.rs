//! Memory of a thread.
