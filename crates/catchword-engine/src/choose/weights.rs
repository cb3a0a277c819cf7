//! Fitted weights. Written by the training program (`docs/measured.md` says how): do not edit.
//!
//! Fitted to 56040 lines of 31 compactions, of which 1374 say a fact that the summary lost.

use super::{Model, Shares};

/// Percent of the reference that each pool may use before the others.
pub const SHARES: Shares = [25, 5, 35, 15, 5, 10, 8, 3, 4];

pub const FITTED: Model<'static> = Model {
    edges: &[
        // kind of line
        &[1.0, 2.0, 3.0, 4.0, 5.0, 6.0, 7.0, 8.0],
        // rows since
        &[3.178, 3.989, 4.466, 4.779, 5.124],
        // share of the session since
        &[0.132, 0.334, 0.51, 0.685, 0.861],
        // length
        &[19.0, 31.0, 45.0, 61.0, 86.0],
        // specific things
        &[1.0, 2.0, 3.0],
        // specific things the model lacks
        &[1.0, 2.0],
        // share of its specific things the model lacks
        &[0.071, 0.5, 0.667],
        // how often its new things were used
        &[0.693, 1.386, 1.946, 2.89],
        // how often its most used new thing was used
        &[0.693, 1.099, 1.386, 1.946],
        // how lately a new thing was used
        &[2.773, 4.094, 4.934, 9.0],
        // new things that stand in several kinds of lines
        &[1.0, 2.0],
        // new things that the agent said
        &[1.0, 2.0, 3.0, 4.0, 5.0, 6.0, 7.0],
        // new things that the person said
        &[1.0, 2.0],
        // new things in commands
        &[1.0, 3.0],
        // words
        &[1.0, 2.0, 4.0, 7.0],
        // words the model lacks
        &[1.0, 2.0, 4.0],
        // rare words the model lacks
        &[1.324, 3.488, 5.182, 8.539, 14.859],
        // share of its words the model lacks
        &[0.048, 0.435, 0.597, 0.783, 1.0],
        // closeness to the end of the summary
        &[0.002, 0.165, 0.269, 0.386, 0.558],
        // closeness to the latest request
        &[0.002, 0.062, 0.105, 0.165, 0.29],
        // from a failed call
        &[1.0],
        // lines before it in its text
        &[1.0, 10.0, 27.0, 63.0, 130.0],
        // lines after it in its text
        &[1.0, 10.0, 26.0, 56.0, 139.0],
        // lines of its text
        &[1.099, 3.466, 4.369, 5.05, 5.58],
        // position in its text
        &[0.002, 0.197, 0.4, 0.603, 0.803],
        // names an error
        &[1.0],
        // counts results
        &[1.0],
        // list item
        &[1.0],
        // numbered item
        &[1.0],
        // heading
        &[1.0],
        // table row
        &[1.0],
        // emphasis
        &[1.0],
        // code span
        &[1.0],
        // colon
        &[1.0],
        // ends with a colon
        &[1.0],
        // digits
        &[1.0, 2.0, 3.0, 5.0],
        // share of punctuation
        &[0.062, 0.107, 0.143, 0.182, 0.24],
        // runs of the same line
        &[0.693, 1.099, 1.386, 1.609, 1.792, 1.946, 2.079, 2.197, 2.303, 3.045, 4.078],
        // web address
        &[1.0],
        // letters beyond ASCII
        &[1.0],
        // overtaken by a later run
        &[1.0],
        // in the first prompt
        &[1.0],
        // requests since
        &[0.693, 1.099, 1.386, 1.792, 2.197],
        // in the latest request
        &[1.0],
        // ends a turn
        &[1.0],
        // question
        &[1.0],
        // run with an outcome
        &[1.0],
        // failed run
        &[1.0],
        // lines of the same row
        &[2.708, 3.526, 3.784, 4.394, 5.159],
        // its new things were used again later
        &[1.0, 2.0],
    ],
    weights: &[
        // kind of line
        &[0.191, 0.302, 0.279, -0.04, -0.089, -0.133, 0.389, -0.5, -0.399],
        // rows since
        &[0.257, 0.347, 0.38, -0.052, -0.125, -0.806],
        // share of the session since
        &[-0.063, -0.151, -0.098, 0.042, -0.065, 0.335],
        // length
        &[-0.584, -0.441, -0.22, -0.097, 0.363, 0.979],
        // specific things
        &[0.167, 0.056, -0.013, -0.211],
        // specific things the model lacks
        &[-0.13, 0.064, 0.066],
        // share of its specific things the model lacks
        &[-0.13, -0.107, 0.148, 0.09],
        // how often its new things were used
        &[-0.13, 0.18, 0.165, -0.037, -0.178],
        // how often its most used new thing was used
        &[-0.13, 0.104, 0.087, 0.05, -0.111],
        // how lately a new thing was used
        &[0.312, 0.203, -0.074, -0.31, -0.13],
        // new things that stand in several kinds of lines
        &[-0.071, -0.078, 0.149],
        // new things that the agent said
        &[-0.231, 0.249, -0.013, 0.013, 0.001, 0.0, -0.016, -0.002],
        // new things that the person said
        &[-0.147, 0.191, -0.044],
        // new things in commands
        &[-0.405, 0.208, 0.197],
        // words
        &[0.285, 0.115, -0.182, -0.181, -0.036],
        // words the model lacks
        &[-0.106, -0.041, -0.074, 0.221],
        // rare words the model lacks
        &[-0.106, 0.299, -0.164, -0.054, 0.086, -0.062],
        // share of its words the model lacks
        &[-0.106, -0.118, -0.046, -0.016, 0.104, 0.182],
        // closeness to the end of the summary
        &[-0.018, -0.113, 0.054, 0.0, 0.021, 0.056],
        // closeness to the latest request
        &[-0.011, -0.133, -0.075, 0.029, 0.258, -0.068],
        // from a failed call
        &[-0.29, 0.29],
        // lines before it in its text
        &[0.16, 0.01, 0.066, -0.062, -0.003, -0.171],
        // lines after it in its text
        &[0.104, 0.132, -0.005, -0.157, -0.094, 0.019],
        // lines of its text
        &[-0.107, 0.134, 0.012, 0.24, -0.131, -0.148],
        // position in its text
        &[0.16, 0.063, -0.24, -0.188, 0.031, 0.174],
        // names an error
        &[-0.048, 0.048],
        // counts results
        &[0.071, -0.071],
        // list item
        &[-0.058, 0.058],
        // numbered item
        &[0.017, -0.017],
        // heading
        &[0.149, -0.149],
        // table row
        &[-0.094, 0.094],
        // emphasis
        &[-0.201, 0.201],
        // code span
        &[-0.134, 0.134],
        // colon
        &[-0.016, 0.016],
        // ends with a colon
        &[0.067, -0.067],
        // digits
        &[-0.074, 0.22, -0.278, 0.092, 0.04],
        // share of punctuation
        &[-0.055, -0.18, 0.273, 0.279, -0.167, -0.149],
        // runs of the same line
        &[-0.262, 0.0, 0.079, 0.041, 0.074, 0.051, 0.133, 0.099, -0.015, -0.038, -0.066, -0.096],
        // web address
        &[-0.084, 0.084],
        // letters beyond ASCII
        &[-0.123, 0.123],
        // overtaken by a later run
        &[0.142, -0.142],
        // in the first prompt
        &[0.013, -0.013],
        // requests since
        &[0.01, 0.062, 0.168, 0.016, 0.218, -0.474],
        // in the latest request
        &[0.01, -0.01],
        // ends a turn
        &[-0.065, 0.065],
        // question
        &[-0.054, 0.054],
        // run with an outcome
        &[-0.179, 0.179],
        // failed run
        &[-0.137, 0.137],
        // lines of the same row
        &[0.535, -0.067, -0.181, -0.282, -0.001, -0.003],
        // its new things were used again later
        &[0.005, -0.068, 0.063],
    ],
};
