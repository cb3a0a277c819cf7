//! Fitted weights. Written by the training program (`docs/measured.md` says how): do not edit.
//!
//! Fitted to 50009 lines of 31 compactions, of which 1229 say a fact that the summary lost.

use super::{Model, Shares};

/// Percent of the reference that each pool may use before the others.
pub const SHARES: Shares = [18, 10, 5, 33, 13, 5, 10, 6, 8, 3, 4];

pub const FITTED: Model<'static> = Model {
    edges: &[
        // kind of line
        &[1.0, 2.0, 3.0, 4.0, 5.0, 6.0, 7.0, 8.0, 9.0, 10.0],
        // rows since
        &[2.996, 3.784, 4.174, 4.5, 4.828],
        // share of the session since
        &[0.143, 0.348, 0.529, 0.712, 0.868],
        // length
        &[21.0, 33.0, 46.0, 62.0, 88.0],
        // specific things
        &[1.0, 2.0, 3.0],
        // specific things the model lacks
        &[1.0, 2.0],
        // share of its specific things the model lacks
        &[0.071, 0.5, 0.667],
        // how often its new things were used
        &[0.693, 1.099, 1.792, 2.773],
        // how often its most used new thing was used
        &[0.693, 1.099, 1.792],
        // how lately a new thing was used
        &[3.091, 4.174, 4.977, 9.0],
        // new things that stand in several kinds of lines
        &[1.0, 2.0],
        // new things that the agent said
        &[1.0, 2.0, 3.0, 4.0, 5.0, 6.0, 7.0, 8.0],
        // new things that the person said
        &[1.0, 2.0],
        // new things in commands
        &[1.0, 3.0],
        // words
        &[1.0, 3.0, 4.0, 7.0],
        // words the model lacks
        &[1.0, 2.0, 4.0],
        // rare words the model lacks
        &[1.265, 3.305, 5.054, 8.189, 14.382],
        // share of its words the model lacks
        &[0.048, 0.436, 0.599, 0.784, 1.0],
        // closeness to the end of the summary
        &[0.001, 0.164, 0.266, 0.387, 0.557],
        // closeness to the latest request
        &[0.001, 0.061, 0.102, 0.162, 0.285],
        // from a failed call
        &[1.0],
        // lines before it in its text
        &[1.0, 9.0, 25.0, 58.0, 125.0],
        // lines after it in its text
        &[1.0, 9.0, 24.0, 50.0, 119.0],
        // lines of its text
        &[1.099, 3.466, 4.263, 4.949, 5.505],
        // position in its text
        &[0.002, 0.2, 0.412, 0.617, 0.811],
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
        &[1.0, 2.0, 3.0, 6.0],
        // share of punctuation
        &[0.061, 0.103, 0.14, 0.176, 0.227],
        // runs of the same line
        &[0.693, 1.099, 1.386, 1.609, 1.792, 3.178],
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
        &[2.833, 3.689, 3.807, 4.382, 5.017],
        // its new things were used again later
        &[1.0, 2.0],
        // says what several rows say
        &[1.0, 2.0],
    ],
    weights: &[
        // kind of line
        &[0.015, 0.06, 0.084, 0.227, -0.06, -0.04, -0.016, -0.033, 0.124, -0.201, -0.159],
        // rows since
        &[0.17, 0.131, 0.126, 0.006, -0.025, -0.408],
        // share of the session since
        &[0.024, -0.022, -0.102, 0.032, -0.031, 0.099],
        // length
        &[-0.277, -0.259, -0.179, -0.067, 0.191, 0.591],
        // specific things
        &[-0.151, 0.148, 0.025, -0.022],
        // specific things the model lacks
        &[-0.066, 0.003, 0.063],
        // share of its specific things the model lacks
        &[-0.066, 0.032, -0.009, 0.043],
        // how often its new things were used
        &[-0.066, 0.052, 0.031, -0.022, 0.005],
        // how often its most used new thing was used
        &[-0.066, 0.014, 0.005, 0.047],
        // how lately a new thing was used
        &[0.262, 0.069, -0.122, -0.143, -0.066],
        // new things that stand in several kinds of lines
        &[0.019, -0.075, 0.057],
        // new things that the agent said
        &[-0.143, 0.149, -0.006, -0.002, 0.001, 0.011, -0.003, -0.003, -0.002],
        // new things that the person said
        &[-0.101, 0.122, -0.021],
        // new things in commands
        &[-0.333, 0.207, 0.126],
        // words
        &[0.124, -0.075, 0.013, -0.119, 0.057],
        // words the model lacks
        &[-0.077, 0.026, -0.085, 0.137],
        // rare words the model lacks
        &[-0.077, 0.176, -0.143, -0.032, 0.055, 0.022],
        // share of its words the model lacks
        &[-0.077, -0.074, -0.039, -0.009, 0.049, 0.15],
        // closeness to the end of the summary
        &[0.012, -0.039, 0.041, -0.053, -0.014, 0.054],
        // closeness to the latest request
        &[-0.035, -0.025, -0.032, 0.008, 0.105, -0.021],
        // from a failed call
        &[-0.113, 0.113],
        // lines before it in its text
        &[0.087, -0.013, 0.062, -0.042, -0.015, -0.078],
        // lines after it in its text
        &[0.093, 0.112, -0.026, -0.078, -0.086, -0.015],
        // lines of its text
        &[0.013, 0.088, -0.07, 0.089, -0.066, -0.053],
        // position in its text
        &[0.087, 0.026, -0.173, -0.078, 0.036, 0.102],
        // names an error
        &[-0.002, 0.002],
        // counts results
        &[0.025, -0.025],
        // list item
        &[0.036, -0.036],
        // numbered item
        &[0.022, -0.022],
        // heading
        &[0.097, -0.097],
        // table row
        &[-0.066, 0.066],
        // emphasis
        &[-0.119, 0.119],
        // code span
        &[-0.119, 0.119],
        // colon
        &[-0.02, 0.02],
        // ends with a colon
        &[0.057, -0.057],
        // digits
        &[-0.157, 0.063, -0.053, 0.034, 0.113],
        // share of punctuation
        &[-0.105, -0.082, 0.171, 0.252, -0.098, -0.137],
        // runs of the same line
        &[-0.179, 0.08, 0.047, 0.017, 0.023, 0.011, 0.001],
        // web address
        &[-0.013, 0.013],
        // letters beyond ASCII
        &[-0.061, 0.061],
        // overtaken by a later run
        &[0.098, -0.098],
        // in the first prompt
        &[0.014, -0.014],
        // requests since
        &[0.0, 0.031, 0.121, 0.027, 0.14, -0.32],
        // in the latest request
        &[0.003, -0.003],
        // ends a turn
        &[-0.031, 0.031],
        // question
        &[-0.027, 0.027],
        // run with an outcome
        &[-0.145, 0.145],
        // failed run
        &[-0.007, 0.007],
        // lines of the same row
        &[0.398, 0.008, -0.279, -0.123, 0.061, -0.065],
        // its new things were used again later
        &[0.015, -0.045, 0.03],
        // says what several rows say
        &[-0.057, 0.024, 0.033],
    ],
};
