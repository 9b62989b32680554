/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.forebay.operations;

import java.time.Instant;

/**
 * The state that an operator requested for a service; valid until the next request.
 *
 * @param paused whether the service is to be paused or to run
 * @param reason the reason that the operator gave; may be empty
 * @param by the operator
 */
public record DesiredState(String service, boolean paused, String reason, String by, Instant at) {}
