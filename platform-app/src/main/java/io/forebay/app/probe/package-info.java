/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
/**
 * The command {@code probe}: which load the host, the backend and the database sustain. Begin with
 * {@link io.forebay.app.probe.ProbeCommand}.
 */
@NullMarked
package io.forebay.app.probe;

import org.jspecify.annotations.NullMarked;
