//! Fitted weights. Written by the training program (`docs/measured.md` says how): do not edit.
//!
//! Fitted to 58093 lines of 31 compactions, of which 1386 say a fact that the summary lost.

use super::{Model, Shares};

/// Percent of the reference that each pool may use before the others.
pub const SHARES: Shares = [25, 5, 35, 15, 5, 10, 8, 3, 4];

pub const FITTED: Model<'static> = Model {
    edges: &[
        // kind of line
        &[1.0, 2.0, 3.0, 4.0, 5.0, 6.0, 7.0, 8.0],
        // rows since
        &[3.258, 4.06, 4.533, 4.82, 5.187],
        // share of the session since
        &[0.133, 0.329, 0.5, 0.684, 0.861],
        // length
        &[19.0, 31.0, 44.0, 60.0, 85.0],
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
        &[2.773, 4.22, 5.056, 9.0],
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
        &[1.426, 3.476, 5.085, 8.547, 14.823],
        // share of its words the model lacks
        &[0.048, 0.427, 0.593, 0.78, 1.0],
        // closeness to the end of the summary
        &[0.001, 0.165, 0.271, 0.389, 0.566],
        // closeness to the latest request
        &[0.001, 0.063, 0.108, 0.164, 0.281],
        // from a failed call
        &[1.0],
        // lines before it in its text
        &[1.0, 10.0, 27.0, 63.0, 130.0],
        // lines after it in its text
        &[1.0, 10.0, 26.0, 56.0, 139.0],
        // lines of its text
        &[1.099, 3.466, 4.369, 5.05, 5.58],
        // position in its text
        &[0.002, 0.197, 0.4, 0.603, 0.802],
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
        &[0.057, 0.103, 0.143, 0.182, 0.238],
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
        &[2.565, 3.497, 3.738, 4.382, 5.136],
        // its new things were used again later
        &[1.0, 2.0],
    ],
    weights: &[
        // kind of line
        &[0.189, 0.31, 0.239, -0.054, -0.077, -0.086, 0.367, -0.488, -0.399],
        // rows since
        &[0.199, 0.527, 0.253, -0.101, -0.081, -0.797],
        // share of the session since
        &[-0.036, -0.27, -0.07, 0.085, -0.066, 0.357],
        // length
        &[-0.584, -0.484, -0.186, -0.127, 0.388, 0.993],
        // specific things
        &[0.196, 0.046, -0.025, -0.217],
        // specific things the model lacks
        &[-0.131, 0.067, 0.064],
        // share of its specific things the model lacks
        &[-0.131, -0.115, 0.158, 0.088],
        // how often its new things were used
        &[-0.131, 0.176, 0.154, -0.012, -0.187],
        // how often its most used new thing was used
        &[-0.131, 0.122, 0.066, 0.06, -0.116],
        // how lately a new thing was used
        &[0.346, 0.206, -0.133, -0.287, -0.131],
        // new things that stand in several kinds of lines
        &[-0.079, -0.064, 0.143],
        // new things that the agent said
        &[-0.23, 0.26, -0.02, 0.009, -0.002, 0.001, -0.016, -0.002],
        // new things that the person said
        &[-0.194, 0.245, -0.05],
        // new things in commands
        &[-0.415, 0.203, 0.212],
        // words
        &[0.271, 0.108, -0.181, -0.196, -0.002],
        // words the model lacks
        &[-0.095, -0.041, -0.058, 0.195],
        // rare words the model lacks
        &[-0.095, 0.303, -0.208, -0.018, 0.042, -0.024],
        // share of its words the model lacks
        &[-0.095, -0.122, -0.083, -0.016, 0.108, 0.208],
        // closeness to the end of the summary
        &[-0.001, -0.136, 0.032, -0.003, 0.073, 0.035],
        // closeness to the latest request
        &[0.022, -0.079, -0.161, 0.042, 0.23, -0.054],
        // from a failed call
        &[-0.281, 0.281],
        // lines before it in its text
        &[0.157, 0.003, 0.072, -0.057, -0.011, -0.163],
        // lines after it in its text
        &[0.099, 0.134, -0.005, -0.156, -0.09, 0.017],
        // lines of its text
        &[-0.112, 0.149, 0.016, 0.221, -0.128, -0.146],
        // position in its text
        &[0.157, 0.065, -0.238, -0.187, 0.03, 0.172],
        // names an error
        &[-0.056, 0.056],
        // counts results
        &[0.063, -0.063],
        // list item
        &[-0.057, 0.057],
        // numbered item
        &[0.016, -0.016],
        // heading
        &[0.144, -0.144],
        // table row
        &[-0.097, 0.097],
        // emphasis
        &[-0.199, 0.199],
        // code span
        &[-0.131, 0.131],
        // colon
        &[-0.02, 0.02],
        // ends with a colon
        &[0.071, -0.071],
        // digits
        &[-0.057, 0.207, -0.285, 0.08, 0.055],
        // share of punctuation
        &[-0.074, -0.152, 0.263, 0.284, -0.154, -0.167],
        // runs of the same line
        &[-0.265, 0.006, 0.08, 0.042, 0.076, 0.051, 0.134, 0.094, -0.016, -0.038, -0.064, -0.099],
        // web address
        &[-0.085, 0.085],
        // letters beyond ASCII
        &[-0.12, 0.12],
        // overtaken by a later run
        &[0.114, -0.114],
        // in the first prompt
        &[0.019, -0.019],
        // requests since
        &[0.009, 0.046, 0.189, 0.067, 0.201, -0.512],
        // in the latest request
        &[0.012, -0.012],
        // ends a turn
        &[-0.052, 0.052],
        // question
        &[-0.054, 0.054],
        // run with an outcome
        &[-0.182, 0.182],
        // failed run
        &[-0.138, 0.138],
        // lines of the same row
        &[0.553, -0.052, -0.221, -0.297, 0.035, -0.018],
        // its new things were used again later
        &[0.021, -0.068, 0.047],
    ],
};
