/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
/** A job from the command line. Start reading with {@link io.forebay.batch.run.CommandLineRun}. */
@NullMarked
package io.forebay.batch.run;

import org.jspecify.annotations.NullMarked;
